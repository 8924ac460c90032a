import { expect } from 'chai'
import type { Browser, Locator } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const SOURCE = 'live/demo'
/** A path that a page must show as the text that it is. */
const HOSTILE = 'pulled/<img src=x onerror=document.title=1>'
const CONFIG = `
hls: { onsub: { pull: { '^far/(.+)$': 'https://operator:pa55word@far.example.com/$1/index.m3u8' } } }
rtmp: { onpub: { push: { '^never$': 'rtmp://live.example.com/app/secret-key' } } }
`

type Job = Readonly<Record<string, unknown>>

describe('the page of pulls and pushes', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ config: CONFIG, env: { SLUICE_DEMO_ENABLE: 'true' } })
    browser = await openChromium()
  })

  async function listed(kind: 'pull' | 'push'): Promise<readonly Job[]> {
    return (await server.api(`/api/${kind}/list`)).body.data as readonly Job[]
  }
  const open = (path = '', options = {}) =>
    ConsolePage.open(browser, server.http('/admin/'), `relay/relays${path}`, options)
  /** The dialog that is open beside the list. */
  const dialog = ({ page }: ConsolePage): Locator => page.getByRole('dialog')

  it('pulls a stream, tells how far it is, and stops it', async () => {
    const console = await open()
    await console.heading('Pulls and pushes')
    await console.text('Nothing is pulled now.')
    await console.button('Pull a stream').click()
    const source = server.rtsp(SOURCE).replace('rtsp://', 'rtsp://operator:pa55word@')
    await dialog(console).getByLabel('Source').first().fill(source)
    await dialog(console).getByLabel('Stream path').fill(HOSTILE)
    await dialog(console).getByRole('button', { name: 'Terms of the publisher' }).click()
    await dialog(console).getByLabel('Close when nobody came at all for').fill('1h')
    await console.isSound()
    await dialog(console).getByRole('button', { name: 'Begin' }).click()
    await console.row(HOSTILE).getByText('Running').waitFor()
    await dialog(console).waitFor({ state: 'detached' })
    expect(await listed('pull')).to.have.length(1)
    expect(await console.page.content()).not.to.include('pa55word')
    await console.isSound()

    await console.row(HOSTILE).press('Enter')
    await dialog(console).getByText('Publish', { exact: true }).waitFor()
    await dialog(console).getByText('an operator').waitFor()
    await console.isSound()
    await console.confirm(dialog(console).getByRole('button', { name: `Stop ${HOSTILE}` }))
    await dialog(console).getByText('It has ended.').waitFor()
    await waitFor(async () => (await listed('pull')).length === 0, { what: 'its end' })
  })

  it('pushes a stream, and stops that', async () => {
    const console = await open('/pushes', { colorScheme: 'dark' })
    await console.button('Push a stream').click()
    await dialog(console).getByLabel('Stream path').fill(SOURCE)
    await dialog(console).getByLabel('Target').fill(server.rtmp('copy/secret-key'))
    await console.isSound()
    await dialog(console).getByRole('button', { name: 'Begin' }).click()
    await console.row(SOURCE).getByText('Running').waitFor()
    await dialog(console).waitFor({ state: 'detached' })
    expect(await console.page.content()).not.to.include('secret-key')
    expect((await server.api('/api/stream/info/copy/secret-key')).status).to.equal(200)
    await console.isSound()
    await console.confirm(console.button(`Stop ${SOURCE}`))
    await console.text('Nothing is pushed now.')
    expect(await listed('push')).to.eql([])
  })

  it('shows in the form why a source fails', async () => {
    const console = await open()
    await console.button('Pull a stream').click()
    await dialog(console).getByLabel('Source').first().fill('rtsp://127.0.0.1:1/none')
    await dialog(console).getByRole('button', { name: 'Begin' }).click()
    await dialog(console).getByRole('alert').getByText('nobody listens there').waitFor()
    await dialog(console).getByLabel('Source').first().fill('none')
    await dialog(console).getByRole('button', { name: 'Begin' }).click()
    await dialog(console).getByText('remoteURL is neither an address').waitFor()
  })

  it('lists the rules of the config, and leads to their sections', async () => {
    const console = await open()
    await console.page.getByText('Rules', { exact: true }).click()
    await console.row('^far/(.+)$').getByText('https://******@far.example.com/$1/index.m3u8').waitFor()
    await console.row('^never$').getByText('rtmp://live.example.com/app/******').waitFor()
    await console.isSound()
    await console.row('^never$').getByRole('link', { name: 'rtmp' }).click()
    expect(new URL(console.page.url()).pathname).to.equal('/admin/config/rtmp')
  })
})
