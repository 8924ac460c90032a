import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../peers/chromium.ts'
import { Nginx } from '../peers/nginx.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { HomePage } from '../support/home-page.ts'
import { startServer, type RunningServer } from '../support/server.ts'

describe('home page in Chromium behind nginx', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'nginx')
    server = await startServer({ env: { SLUICE_DEMO_ENABLE: 'true' } })
    browser = await openChromium()
  })

  /** A proxy as most are set up: without a word of WebSockets, and with its buffering. */
  function proxy(location: string): Promise<Nginx> {
    return Nginx.start(
      (port) => `server {
  listen 127.0.0.1:${port};
  location ${location} {
    proxy_pass http://127.0.0.1:${server.httpPort}/;
    proxy_set_header X-Forwarded-For 203.0.113.7;
  }
}`,
    )
  }

  it('plays below a path of its own, without WebSockets', async () => {
    const nginx = await proxy('/tv/')
    const home = await HomePage.open(browser, nginx.http('/tv/'))
    const { play } = await home.plays()
    expect(play).to.include.members([
      nginx.http('/tv/flv/live/demo.flv'),
      nginx.http('/tv/flv/live/demo.flv').replace('http:', 'ws:'),
      nginx.http('/tv/hls/live/demo/index.m3u8'),
    ])
    // The WebSocket that it tried first, and nothing else.
    expect(home.problems.filter((problem) => !problem.startsWith('WebSocket connection to'))).to.eql([])
    await home.close()
  })

  it('has its page below that path at /home, too', async () => {
    const nginx = await proxy('/tv/')
    const answer = await fetch(nginx.http('/tv/home'))
    expect([answer.status, answer.url]).to.eql([200, nginx.http('/tv/home/')])
    expect(await answer.text()).to.include('<title>Sluice</title>')
  })

  it('asks for no list where visitors come from elsewhere, and tells them how to go on', async () => {
    const nginx = await proxy('/')
    const home = await HomePage.open(browser, nginx.http('/#live/none'))
    const { list } = await home.until('the list', (state) => state.list !== '')
    expect(list).to.equal('Only administrators on the server’s machine see them. Name the stream to play.')
    await home.choose('live/demo')
    await home.plays()
    expect(home.problems.filter((problem) => !problem.startsWith('WebSocket connection to'))).to.eql([])
    await home.close()
  })
})
