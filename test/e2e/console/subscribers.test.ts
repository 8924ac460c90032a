import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { publish } from '../../peers/ffmpeg.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { FlvViewer } from '../../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const LONG_SECONDS = 3600

type ShownViewer = { readonly id: number; readonly streamPath: string; readonly sourcePath: string }

describe('the page of viewers in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'ffmpeg')
    server = await startServer()
    browser = await openChromium()
    for (const name of ['one', 'two']) {
      publish({ url: server.rtmp(`live/${name}`), durationSeconds: LONG_SECONDS })
    }
  })

  async function watch(name: string): Promise<FlvViewer> {
    const viewer = new FlvViewer(server.http(`/flv/live/${name}.flv`))
    expect(await viewer.status).to.equal(200)
    return viewer
  }

  async function viewers(): Promise<readonly ShownViewer[]> {
    return (await server.api('/api/subscribers')).body.data as readonly ShownViewer[]
  }

  function open(path: string, options: Parameters<typeof ConsolePage.open>[3] = {}): Promise<ConsolePage> {
    return ConsolePage.open(browser, server.http('/admin/'), path, options)
  }

  it('finds a viewer, gives it another stream, and ends it', async () => {
    const [viewer] = await Promise.all([watch('one'), watch('two')])
    const [{ id } = { id: 0 }] = (await viewers()).filter(({ streamPath }) => streamPath === 'live/one')
    const console = await open('subscribers')
    await console.row('live/two').waitFor()
    await console.page.getByLabel('Search by stream, address or protocol').fill('LIVE/ONE')
    await console.row('live/two').waitFor({ state: 'detached' })
    const row = console.row('live/one').filter({ hasText: '127.0.0.1:' })
    await row.waitFor()

    await console.button(`Move viewer ${id}`).click()
    const picker = console.page.getByRole('combobox', { name: 'To the stream' })
    await picker.fill('two')
    // The list may move while it is asked for anew, and a click beside it closes the dialog.
    await console.page.getByRole('option', { name: 'live/two' }).waitFor()
    await picker.press('ArrowDown')
    await picker.press('Enter')
    await waitFor(async () => (await picker.inputValue()) === 'live/two', { what: 'the choice' })
    await console.page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await row.filter({ hasText: 'gets live/two' }).waitFor()
    expect((await viewers()).find((one) => one.id === id)?.sourcePath).to.equal('live/two')

    await console.confirm(console.button(`End viewer ${id}`))
    await viewer.ended
    await console.text('None has “LIVE/ONE” in its stream, address or protocol.')
    expect((await viewers()).map(({ streamPath }) => streamPath)).to.eql(['live/two'])
  })

  it('has the viewers of a stream with that stream', async () => {
    await Promise.all([watch('one'), watch('two')])
    const console = await open('streams/live/two')
    await console.page.getByRole('tab', { name: 'Viewers' }).click()
    await console.row('flv').waitFor()
    await console.isSound()
  })

  it('is sound in light and dark', async () => {
    await watch('one')
    for (const colorScheme of ['light', 'dark'] as const) {
      const console = await open('subscribers', { colorScheme })
      await console.row('live/one').waitFor()
      await console.isSound()
    }
  })
})
