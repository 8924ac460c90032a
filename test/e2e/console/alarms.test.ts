import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { RtmpClient } from '../../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../../support/server.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

/** A description that a page must show as the text that it is. */
const HOSTILE = '<img src=x onerror="document.title=1">'
const BELL = `
import { definePlugin } from 'sluice/sdk'
export default definePlugin({
  name: 'bell',
  version: '1.0.0',
  notices: ['alarm'],
  setup(ctx) {
    const ring = () => ctx.hooks.notify('alarm', {
      name: 'disk_full', description: ${JSON.stringify(HOSTILE)}, plugin: 'bell', streamPath: 'live/bell',
    })
    ctx.http.get('/ring', { config: { access: 'public' } }, () => (ring(), {}))
  },
})
`

describe('the page of alarms', () => {
  let server: RunningServer
  let receiver: WebhookReceiver
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    receiver = await WebhookReceiver.start()
    const url = receiver.url.replace('http://', 'http://operator:pa55word@')
    const hook = { default: { url, savealarm: true }, subscribe_start: { url: '' } }
    server = await startServer({
      config: JSON.stringify({ global: { hook, plugins_dir: '.' }, rtmp: { hook: { publish_end: { url: '' } } } }),
      prepare: (folder) => writeFile(path.join(folder, 'bell.ts'), BELL),
    })
    browser = await openChromium()
  })

  const open = (place = '', options = {}) =>
    ConsolePage.open(browser, server.http('/admin/'), `alarm/alarms${place}`, options)

  async function publish(streamPath: string): Promise<void> {
    const client = await RtmpClient.publish({ url: server.rtmp(streamPath) })
    client.close()
    await client.closed
  }

  it('shows what happens, and finds it by event, stream and time', async () => {
    const console = await open()
    await console.heading('Alarms')
    await publish('live/first')
    await publish('live/second')
    expect((await fetch(server.http('/bell/ring'))).status).to.equal(200)
    await console.row('live/first').getByText('A publisher started').waitFor()
    const alarm = console.row('There is no room for recordings')
    await alarm.getByText('Critical').waitFor()
    await alarm.getByText(HOSTILE).waitFor()
    await console.isSound()

    await console.page.getByRole('combobox', { name: 'Event' }).click()
    await console.page.getByRole('option', { name: 'A publisher started' }).click()
    await alarm.waitFor({ state: 'detached' })
    await console.row('live/second').waitFor()
    await console.page.getByRole('combobox', { name: 'Stream' }).fill('live/first')
    await console.row('live/second').waitFor({ state: 'detached' })
    await console.row('live/first').waitFor()

    await console.page.getByRole('combobox', { name: 'Period' }).click()
    await console.page.getByRole('option', { name: 'From … to' }).click()
    await console.page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
    await console.text('Nothing of this kind has happened.')
    await console.page.getByLabel('To', { exact: true }).fill('')
    await console.page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00')
    await console.row('live/first').waitFor()
    await console.isSound()
  })

  it('arms and disarms the server', async () => {
    const console = await open('', { colorScheme: 'dark' })
    const settings = async () =>
      ((await server.api('/config/global')).body.data as { config: { armed: boolean } }).config
    const armed = console.page.getByRole('switch', { name: 'Web services are told' })
    await console.text('Nobody is told of anything at present.')
    expect(await settings()).to.include({ armed: false })
    await console.isSound()
    await armed.press('Space')
    await console.text('The server is armed')
    expect(await settings()).to.include({ armed: true })
    await publish('live/told')
    await waitFor(() => receiver.requests.length > 0, { what: 'what the web service is told' })
    await console
      .row('live/told')
      .getByText(/^Told, /u)
      .waitFor()
    await armed.press('Space')
    await console.text('The server is disarmed')
    expect(await settings()).to.include({ armed: false })
  })

  it('shows the webhooks of the config without their secrets, and leads there', async () => {
    const console = await open('/webhooks')
    await console.row('All other events').getByText('POST http://******@127.0.0.1').waitFor()
    await console.row('publish_end').getByText('Nobody').waitFor()
    expect(await console.page.content()).not.to.include('pa55word')
    await console.isSound()
    await console.row('publish_end').getByRole('link', { name: 'rtmp' }).click()
    expect(new URL(console.page.url()).pathname).to.equal('/admin/config/rtmp')
  })
})
