import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { signatureQuery } from '../gates/signing.ts'
import { openChromium } from '../peers/chromium.ts'
import { freePort } from '../peers/free-port.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { HomePage } from '../support/home-page.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** The demo stays away when it was ended, and is not to be because a busy machine has held it up. */
const DEMO = { SLUICE_DEMO_ENABLE: 'true', SLUICE_DEMO_PUBLISH_PUBLISHTIMEOUT: '10m' }
const EVIL_PATH = `live/<img id=evil src=x onerror="document.title='evil'">`
const TRACKS = { videoTrack: { codec: 'h265', width: 1280, height: 720 }, audioTrack: { codec: 'opus' } }

describe('home page in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ env: DEMO })
    browser = await openChromium()
  })

  it('plays the demo stream, lists it, and tells all its addresses', async () => {
    const home = await HomePage.open(browser, server.http('/home/'))
    await home.plays()
    const before = await home.page.locator('video').screenshot()
    await home.plays()
    expect((await home.page.locator('video').screenshot()).equals(before)).to.equal(false)
    const shown = await home.until('the viewer in the list', ({ list }) => list.includes('1 viewer'))
    expect(shown).to.include({ heading: 'live/demo', notice: '' })
    expect(shown.list).to.include('live/demo').and.include('h264 640×360 · aac')
    expect(shown.play).to.include.members([
      server.http('/flv/live/demo.flv'),
      server.ws('/flv/live/demo.flv'),
      server.http('/hls/live/demo/index.m3u8'),
      server.http('/mp4/live/demo.mp4'),
      server.ws('/mp4/live/demo.mp4'),
    ])
    expect(await home.page.locator('[aria-current=true]').count()).to.equal(1)
    expect(await home.page.locator('#play-addresses h3').first().innerText()).to.equal(
      'In a browser, with the least delay',
    )
    const link = home.page.locator('#play-addresses a')
    expect(await link.evaluate<string, { href: string }>((anchor) => anchor.href)).to.equal(
      server.http('/webrtc/test#subscribe'),
    )
    expect(home.problems).to.eql([])
    await home.close()
    await waitFor(() => server.server.streams.subscribers().length === 0, { what: 'the viewer to leave' })
  })

  async function fitPhone(): Promise<void> {
    const home = await HomePage.open(browser, server.http('/home/'), { viewport: { width: 320, height: 640 } })
    await home.until('the list', ({ list }) => list.includes('live/demo'))
    expect(await home.page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(320)
    await home.close()
  }

  /** Shows names as text, and plays what is clicked. */
  async function showNames(): Promise<void> {
    const streams = [EVIL_PATH, 'live/other'].map((name) => ({ path: name, subscribers: 3, ...TRACKS }))
    const home = await HomePage.open(browser, 'about:blank')
    await home.page.route('**/api/stream/list', (route) => route.fulfill({ json: { code: 0, data: streams } }))
    await home.page.goto(server.http(`/home/#${encodeURIComponent(EVIL_PATH)}`))
    const shown = await home.until('the list', ({ list }) => list.includes(EVIL_PATH))
    expect(shown.list).to.include('h265 1280×720 · opus · 3 viewers')
    expect(shown).to.include({ heading: EVIL_PATH, title: 'Sluice', evil: false })
    const url = server.ws('/flv/live/other.flv')
    const asked = home.page.waitForEvent('websocket', (socket) => socket.url() === url)
    await home.page.getByRole('button', { name: 'live/other' }).click()
    await asked
    await home.until('what was clicked', ({ heading }) => heading === 'live/other')
    expect(home.page.url()).to.equal(server.http('/home/#live/other'))
    await home.close()
  }

  /** Where pages have no clipboard, too. */
  async function copyAddress(): Promise<void> {
    const home = await HomePage.open(browser, server.http('/home/'))
    await home.until('the addresses', ({ play }) => play.length > 0)
    // As on plain HTTP by another name than localhost.
    await home.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await home.page.getByRole('button', { name: 'Copy: FLV over HTTP', exact: true }).click()
    await home.page.getByText('Copied: FLV over HTTP').waitFor({ state: 'attached' })
    await home.page.getByLabel('Stream', { exact: true }).fill('')
    await home.page.keyboard.press('Control+V')
    expect(await home.page.getByLabel('Stream', { exact: true }).inputValue()).to.equal(
      server.http('/flv/live/demo.flv'),
    )
    await home.close()
  }

  /** Of plugins that others wrote. */
  async function showAddresses(): Promise<void> {
    const theirs = `
import { addressTemplates, definePlugin } from 'sluice/sdk'
export default definePlugin({
  name: 'theirs',
  version: '1.0.0',
  endpoints: ({ http }) => ({
    pushAddr: ['srt://{hostName}:9998?streamid={streamPath}'],
    playAddr: [...addressTemplates(http, '/theirs/{streamPath}.bin', ['http']), 'theirs://{hostName}:9999/{streamPath}'],
  }),
  setup() {},
})`
    const prepare = (folder: string) => writeFile(path.join(folder, 'theirs.ts'), theirs)
    const other = await startServer({ config: 'global: {plugins_dir: .}\n', prepare })
    const home = await HomePage.open(browser, other.http('/home/#live/a'))
    const { publish, play } = await home.until('the addresses', (state) => state.play.length > 0)
    expect(play).to.include.members([other.http('/theirs/live/a.bin'), 'theirs://127.0.0.1:9999/live/a'])
    expect(publish).to.include('srt://127.0.0.1:9998?streamid=live/test')
    await home.close()
  }

  /** A browser that knows HLS alone, as older iPhones. */
  async function openWithoutMediaSource(url: string): Promise<HomePage> {
    const home = await HomePage.open(browser, 'about:blank')
    await home.page.addInitScript('delete window.MediaSource; delete window.ManagedMediaSource')
    await home.page.goto(url)
    return home
  }

  /** Where the browser has no Media Source Extensions. */
  async function playHls(): Promise<void> {
    const home = await openWithoutMediaSource(server.http('/home/#live/demo'))
    await home.plays()
    expect(await home.page.evaluate<string>('video.src')).to.equal(server.http('/hls/live/demo/index.m3u8'))
    await home.close()
  }

  /** Without the shipped console, which may not be built. */
  async function leadToConsole(): Promise<void> {
    const office = `
import { definePlugin } from 'sluice/sdk'
export default definePlugin({
  name: 'office',
  version: '1.0.0',
  provides: ['console'],
  setup({ http, services }) {
    http.get('/', (_request, reply) => reply.type('text/html').send('<title>Office</title>'))
    services.provide('console', { url: '/office/' })
  },
})`
    const prepare = (folder: string) => writeFile(path.join(folder, 'office.ts'), office)
    const config = 'global: {plugins_dir: .}\nconsole: {enable: false}\n'
    const other = await startServer({ config, prepare })
    const home = await HomePage.open(browser, other.http('/'))
    expect([home.page.url(), await home.page.title()]).to.eql([other.http('/office/'), 'Office'])
    await home.page.goto(other.http('/home/'))
    await home.page.getByRole('link', { name: 'Administration' }).click()
    await home.page.waitForURL(other.http('/office/'))
    await home.close()
  }

  it('leads administrators to the console, where there is one', leadToConsole)

  it('fits a phone, shows names as text, copies addresses, shows those of others, and plays HLS alone', () =>
    Promise.all([fitPhone(), showNames(), copyAddress(), showAddresses(), playHls()]))

  async function goOn(): Promise<void> {
    const home = await HomePage.open(browser, server.http('/home/#live/demo'))
    await home.plays()
    for (const subscriber of server.server.streams.subscribers()) subscriber.close('stop by user')
    await home.until('the end', ({ notice }) => notice.startsWith('live/demo has ended'))
    await home.plays()
    await home.close()
  }

  /** Says how to publish where nothing is, and plays it when it comes. */
  async function askForPublisher(): Promise<void> {
    const port = await freePort()
    const empty = await startServer({ env: { SLUICE_RTMP_TCP_LISTENADDR: `127.0.0.1:${port}` } })
    const home = await HomePage.open(browser, empty.http('/home/'))
    const { notice, publish, play } = await home.until('what to do', (state) => state.notice !== '')
    expect(notice).to.match(/^Nothing is published here yet\n/u)
    expect(play).to.eql([])
    expect(await home.page.locator('#play-addresses button').count()).to.equal(0)
    expect(publish).to.include.members([`rtmp://127.0.0.1:${port}/live`, 'test'])
    const command = publish.find((text) => text.startsWith('ffmpeg ')) ?? ''
    expect(notice).to.include(command)
    const script = path.join(empty.folder, 'publish.sh')
    await writeFile(script, `exec ${command.replace('ffmpeg', 'ffmpeg -nostdin -loglevel error')}`)
    const publisher = new PeerProcess('sh', [script])
    expect(await home.plays()).to.include({ heading: 'live/test' })
    await publisher.close()
    await home.close()
  }

  /** Waits for a stream that its address names, and plays it when it comes. */
  async function waitForStream(): Promise<void> {
    const other = await startServer({ env: DEMO })
    const home = await HomePage.open(browser, other.http('/home/#live/later'))
    await home.until('the waiting', ({ notice }) => notice.startsWith('Waiting for live/later\n'))
    await other.writeConfig('demo: {streampath: live/later}\n')
    await home.plays()
    expect(home.problems).to.eql([])
    await home.close()
  }

  it('plays what comes, and what comes again', async function () {
    requirePeer(this, 'ffmpeg')
    await Promise.all([goOn(), askForPublisher(), waitForStream()])
  })

  describe('of a server that asks viewers for a key', () => {
    const servers: RunningServer[] = []
    async function start(): Promise<RunningServer> {
      const guarded = await startServer({ config: 'global: {enable_auth: true, subscribe: {key: k}}\n', env: DEMO })
      servers.push(guarded)
      return guarded
    }
    afterEach(() => {
      for (const { problems } of servers.splice(0)) expect(problems).to.eql([])
    })
    const deniedLines = (guarded: RunningServer) => guarded.records.filter(({ msg }) => msg === 'denied').length

    it('asks for nothing by itself', async () => {
      const guarded = await start()
      const home = await HomePage.open(browser, guarded.http('/home/'))
      const { list } = await home.until('the list', (state) => state.list.includes('live/demo'))
      expect(list).to.include('0 viewers')
      expect((await home.state()).notice).to.match(
        /^Which stream\?\nName one below, with the query that has its key\./u,
      )
      expect(home.problems).to.eql([])
      expect(deniedLines(guarded)).to.equal(0)
      await home.close()
    })

    async function refuse(): Promise<void> {
      const guarded = await start()
      const home = await HomePage.open(browser, guarded.http('/home/#live/demo?secret=wrong'))
      const { notice } = await home.until('the refusal', (state) => state.notice.includes('refused'))
      expect(notice)
        .to.match(/^live\/demo is refused \(401\)\n/u)
        .and.include('live/demo?secret=…&expire=…')
      const before = deniedLines(guarded)
      expect(before).to.be.within(1, 2)
      // Meanwhile the list is asked for twice, which takes longer than a player waits that tries again.
      for (let count = 0; count < 2; count++) await home.page.waitForResponse('**/api/stream/list')
      expect(deniedLines(guarded)).to.equal(before)
      const query = signatureQuery('k', 'live/demo')
      await home.choose(`live/demo?${query}`)
      const { play } = await home.plays()
      expect(play).to.include(guarded.http(`/flv/live/demo.flv?${query}`))
      expect(home.page.url()).to.equal(guarded.http(`/home/#live/demo?${query}`))
      await home.close()
    }

    /** Where the browser plays HLS, too. */
    async function refuseHls(): Promise<void> {
      const guarded = await start()
      const home = await openWithoutMediaSource(guarded.http('/home/#live/demo'))
      await home.until('the refusal', (state) => state.notice.startsWith('live/demo is refused (401)\n'))
      await home.choose(`live/demo?${signatureQuery('k', 'live/demo')}`)
      await home.plays()
      await home.close()
    }

    it('says that a stream is refused, asks no more, and plays it with the right key', () =>
      Promise.all([refuse(), refuseHls()]))
  })

  after(() => expect(server?.problems).to.eql([]))
})
