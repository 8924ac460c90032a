import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { publish } from '../../peers/ffmpeg.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { post } from '../../support/recordings.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

type Picture = { readonly id: number; readonly streamPath: string; readonly filePath: string }

describe('the page of snapshots in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'ffmpeg')
    server = await startServer()
    browser = await openChromium()
    for (const streamPath of ['live/door', 'live/gate']) publish({ url: server.rtmp(streamPath), durationSeconds: 600 })
    for (const streamPath of ['live/door', 'live/gate']) {
      await waitFor(() => server.server.streams.get(streamPath)?.publisher?.tracks.length === 2)
    }
  })

  async function kept(): Promise<Picture[]> {
    return (await server.api('/snap/api/list/')).body.data as Picture[]
  }

  /** Waits until the first picture of the page is drawn. */
  async function isDrawn({ page }: ConsolePage): Promise<void> {
    await waitFor(
      async () => (await page.evaluate<number>(`document.querySelector('main img')?.naturalWidth ?? 0`)) > 0,
    )
  }

  it('takes a picture, shows it, and saves it as JPEG', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'snap/snapshots')
    await console.text('No pictures are kept yet.')
    await console.button('Take a picture').click()
    const dialog = console.page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Stream' }).fill('live/door')
    await dialog.getByRole('button', { name: 'Take a picture' }).click()
    await console.button(/^Open the picture of live\/door/u).click()
    const [download] = await Promise.all([
      console.page.waitForEvent('download'),
      console.page.getByRole('link', { name: 'Download' }).click(),
    ])
    const jpeg = await readFile(await download.path())
    expect([...jpeg.subarray(0, 3)]).to.eql([0xff, 0xd8, 0xff])
    expect(download.suggestedFilename()).to.match(/^live_door_\d+\.\d+\.jpg$/u)
    expect((await kept()).map(({ streamPath }) => streamPath)).to.eql(['live/door'])
    await console.isSound()
  })

  it('has the pictures of a stream, loads them in sight, and deletes those that are chosen', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const streamPath of ['live/door', 'live/gate', 'live/gate'])
        await post(server, `/snap/api/take/${streamPath}`)
      const before = await kept()
      const console = await ConsolePage.open(browser, server.http('/admin/'), 'snap/snapshots', { colorScheme })
      await console.heading('Snapshots')
      await console.page.getByLabel('Stream').selectOption('live/gate')
      await console.text('2 pictures')
      await isDrawn(console)
      await console.isSound()
      for (const checkbox of await console.page.getByRole('checkbox').all()) await checkbox.check()
      await console.confirm(console.button('Delete 2 chosen'))
      await console.text('No pictures of this stream and day.')
      expect(await kept()).to.eql(before.filter(({ streamPath }) => streamPath !== 'live/gate'))
    }
  })

  it('takes many, and stops', async () => {
    const batches = async () => (await server.api('/snap/api/batches')).body.data as readonly unknown[]
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'snap/snapshots/live/gate')
    await console.button('Take many').click()
    await console.button('Begin').click()
    await console.confirm(console.row('live/gate').getByRole('button', { name: 'Stop' }))
    await waitFor(async () => (await batches()).length === 0)
    expect(console.problems).to.eql([])
  })
})
