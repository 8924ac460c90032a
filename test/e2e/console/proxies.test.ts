import { expect } from 'chai'
import type { Browser, Locator } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

/** A name that a page must show as the text that it is. */
const HOSTILE = 'Gate <img src=x onerror="document.title=1">'
const SOURCE = 'live/demo'

type Proxy = Readonly<Record<string, unknown>>

describe('the page of proxies', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ env: { SLUICE_DEMO_ENABLE: 'true' } })
    browser = await openChromium()
  })

  async function listed(kind: 'pull' | 'push'): Promise<readonly Proxy[]> {
    return (await server.api(`/api/proxy/${kind}/list`)).body.data as readonly Proxy[]
  }
  const open = (path = '', options = {}) =>
    ConsolePage.open(browser, server.http('/admin/'), `proxy/proxies${path}`, options)
  /** The dialog of a proxy. */
  const dialog = ({ page }: ConsolePage): Locator => page.getByRole('dialog')

  it('adds a source, which comes online and is pulled, changes it and removes it', async () => {
    const console = await open()
    await console.heading('Proxies')
    await console.button('Add a source').click()
    const form = dialog(console)
    const address = server.rtsp(SOURCE).replace('rtsp://', 'rtsp://operator:pa55word@')
    await form.getByLabel('Address').fill(address)
    await form.getByLabel('Name').fill(HOSTILE)
    await form.getByLabel('Stream path').fill('cam/gate')
    await form.getByLabel('As soon as the source is there').check()
    await console.isSound()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await console.row(HOSTILE).getByText('Pulling').waitFor()
    expect(await console.page.content()).not.to.include('pa55word')
    expect(await listed('pull')).to.have.length(1)
    await console.isSound()

    await console.button(`Edit ${HOSTILE}`).click()
    await form.getByLabel('Name').fill('North gate')
    await form.getByRole('button', { name: 'Recording' }).click()
    await form.getByLabel('Folder of the recordings').fill('gate')
    await form.getByRole('button', { name: 'Save' }).click()
    await console.row('North gate').waitFor()
    const [changed] = await listed('pull')
    expect(changed).to.include({ name: 'North gate', recordPath: 'gate', stopOnIdle: true, streamPath: 'cam/gate' })
    // The secrets of its address are kept: it is online all the same.
    await console.row('North gate').getByText('Pulling').waitFor()

    await console.page.getByRole('switch', { name: 'North gate: enabled' }).locator('..').click()
    await console.row('North gate').getByText('Disabled').waitFor()
    await waitFor(async () => (await server.api('/api/stream/info/cam/gate')).status === 404, { what: 'its end' })

    await console.confirm(console.button('Remove North gate'))
    await console.text('No source is looked after yet.')
    expect(await listed('pull')).to.eql([])
  })

  it('says why a source is away, finds proxies, and leads to their streams', async () => {
    for (const [name, port] of [
      ['Away', 1],
      ['Porch', server.rtspPort],
    ]) {
      const pullURL = `rtsp://127.0.0.1:${port}/${SOURCE}`
      await server.api('/api/proxy/pull/add', {
        method: 'POST',
        body: JSON.stringify({ name, pullURL, streamPath: `cam/${name}` }),
      })
    }
    const console = await open('', { colorScheme: 'dark' })
    await console.row('Away').getByText('nobody listens there').waitFor()
    await console.row('Porch').getByText('Online').waitFor()
    await console.isSound()
    await console.page.getByLabel('Name, path or address').fill('cam/away')
    await console.row('Porch').waitFor({ state: 'detached' })
    await console.page.getByRole('link', { name: 'cam/Away' }).click()
    expect(new URL(console.page.url()).pathname).to.equal('/admin/streams/cam/Away')
  })

  it('adds a target, which is sent its stream', async () => {
    const console = await open('/push')
    await console.button('Add a target').click()
    const form = dialog(console)
    await form.getByLabel('Address').fill(server.rtmp('copy/secret-key'))
    await form.getByLabel('Name').fill('Backup')
    await form.getByLabel('Stream path').fill(SOURCE)
    await console.isSound()
    await form.getByRole('button', { name: 'Save' }).click()
    await console.row('Backup').getByText('Pushing').waitFor()
    expect(await console.page.content()).not.to.include('secret-key')
    await waitFor(async () => (await server.api('/api/stream/info/copy/secret-key')).status === 200)
  })

  it('shows what the server refuses at the field that it is about', async () => {
    const console = await open()
    await console.button('Add a source').click()
    const form = dialog(console)
    await form.getByLabel('Address').fill('rtsp://camera one/stream')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('the address has blanks in it').waitFor()
    expect(await form.getByLabel('Address').getAttribute('aria-invalid')).to.equal('true')
  })

  it('keeps the form of a target whose stream is refused, and goes back to the button that has opened it', async () => {
    const console = await open('/push')
    await console.button('Add a target').click()
    const form = dialog(console)
    await form.getByLabel('Address').fill(server.rtmp('copy/other'))
    await form.getByLabel('Stream path').fill('live/../secret')
    await form.getByRole('button', { name: 'Save' }).click()
    const refused = form.locator('[aria-invalid=true]')
    await refused.waitFor()
    expect(await refused.inputValue()).to.equal('live/../secret')
    await form.getByRole('button', { name: 'Cancel' }).click()
    await form.waitFor({ state: 'detached' })
    await console.page.locator('button:focus', { hasText: 'Add a target' }).waitFor()
  })
})
