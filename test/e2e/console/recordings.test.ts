import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser, Locator } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { makeTestFile, publish, publishFile } from '../../peers/ffmpeg.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { finishedFiles, type ListedFile } from '../../support/recordings.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const SECONDS = 16
/** Recordings are dated by the times of their media. */
const SPEED = 4
/** Players need a signature, which the page asks for. */
const CONFIG = `
global: { enableauth: true, subscribe: { key: s3cret } }
mp4: { onpub: { record: { '^cam/': { fragment: 4s } } } }
`
const EVIL = `<img src=x: onerror="document.title='evil'">`
const DAY = /^\d+ \w+ \d{4}: \d+ files/u

type Tag = { readonly id: number; readonly tagName: string; readonly tagTime: string }

/** The time as the clocks of this machine and its browser show it. */
function clock(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB')
}

describe('the page of recordings in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  let files: ListedFile[]
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'ffmpeg')
    let source = ''
    const prepare = async (folder: string) => {
      source = path.join(folder, 'source.mp4')
      await makeTestFile({ url: source, durationSeconds: SECONDS })
    }
    server = await startServer({ config: CONFIG, prepare })
    browser = await openChromium()
    await publishFile(source, server.rtmp('cam/door'), SPEED).succeed()
    files = await finishedFiles(server, 'mp4', 3)
  })

  async function openDay(colorScheme: 'light' | 'dark' = 'light'): Promise<ConsolePage> {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'recording/recordings', { colorScheme })
    await console.heading('Recordings')
    const streams = console.page.getByRole('table', { name: 'Recorded streams' })
    await streams.getByRole('row').filter({ hasText: 'cam/door' }).click()
    await console.heading('cam/door · MP4')
    return console
  }

  /** Waits until the time line is at a time, or after it. */
  async function isAt(line: Locator, time: string): Promise<void> {
    await waitFor(async () => ((await line.getAttribute('aria-valuetext')) ?? '') >= clock(time))
  }

  it('marks the day, plays it, and goes to the time that is chosen', async () => {
    const query = `start=${Date.parse(files[0]!.startTime)}`
    expect((await fetch(server.http(`/hls/cam/door.m3u8?${query}`))).status).to.equal(401)
    for (const colorScheme of ['light', 'dark'] as const) {
      const console = await openDay(colorScheme)
      const day = console.page.getByRole('button', { name: DAY })
      expect(await day.getAttribute('aria-pressed')).to.equal('true')
      await console.button('Play').click()
      await console.plays()
      await console.isSound()
      const line = console.page.getByRole('slider', { name: 'Time line' })
      const [first, , third] = files as [ListedFile, ListedFile, ListedFile]
      await console.button(`${clock(third.startTime)} – ${clock(third.endTime)}`).click()
      await isAt(line, third.startTime)
      await console.plays()
      await console.button('Pause').click()
      await line.press('Home')
      await waitFor(async () => ((await line.getAttribute('aria-valuetext')) ?? '') < clock(third.startTime))
      await isAt(line, first.startTime)
      await console.plays()
    }
  })

  it('marks times by tags, which are renamed and deleted, whatever they are called', async () => {
    const tags = async () =>
      (await server.api('/mp4/api/tag/list?streamPath=cam/door')).body as unknown as { list: Tag[] }
    const console = await openDay()
    await console.page.getByRole('tab', { name: 'Tags' }).click()
    await console.button('Add a tag here').click()
    await console.page.getByLabel('Name', { exact: true }).fill(EVIL)
    await console.button('Save').click()
    await console.row(EVIL).waitFor()
    const [added] = (await tags()).list
    expect(added?.tagName).to.equal(EVIL)
    expect(clock(added?.tagTime ?? '')).to.equal(clock(files[0]!.startTime))
    await console.isSound()
    expect(await console.page.title()).to.equal('cam/door · MP4 – Sluice')

    await console.button(`Rename ${EVIL}`).click()
    await console.page.getByLabel('Name', { exact: true }).fill('Door opens')
    await console.button('Save').click()
    await console.row('Door opens').waitFor()
    expect((await tags()).list.map(({ tagName }) => tagName)).to.eql(['Door opens'])
    // The mark of the tag on the time line plays from it.
    await console.button(/^Tag: Door opens/u).click()
    await console.plays()
    await console.confirm(console.button('Delete Door opens'))
    await console.text('No tags on this day')
    expect((await tags()).list).to.eql([])
  })

  it('saves a file and a part of the day as MP4, and deletes files', async () => {
    const console = await openDay()
    const [first, second, third] = files as [ListedFile, ListedFile, ListedFile]
    const whole = await saved(console.button(`Download the file of ${clock(second.startTime)}`))
    expect(String(whole.subarray(4, 8))).to.equal('ftyp')
    await console.button('Download a part').click()
    await console.page.getByLabel('From', { exact: true }).fill(clock(first.startTime))
    await console.page.getByLabel('To', { exact: true }).fill(clock(third.endTime))
    const part = await saved(console.button('Download'))
    expect(String(part.subarray(4, 8))).to.equal('ftyp')
    expect(part.length).to.be.greaterThan(2 * whole.length)

    await console.confirm(console.button(`Delete the file of ${clock(second.startTime)}`))
    await waitFor(async () => !(await finishedFiles(server, 'mp4')).some(({ id }) => id === second.id))
    await console.button(`Delete the file of ${clock(second.startTime)}`).waitFor({ state: 'detached' })
    const left = await finishedFiles(server, 'mp4')
    expect(left.map(({ id }) => id))
      .to.include(first.id)
      .and.include(third.id)

    async function saved(button: Locator): Promise<Buffer> {
      const [download] = await Promise.all([console.page.waitForEvent('download'), button.click()])
      return readFile(await download.path())
    }
  })

  it('starts and stops recordings, and records events', async () => {
    const source = publish({ url: server.rtmp('live/now'), durationSeconds: 600 })
    const isActive = async () => {
      const { body } = await server.api('/api/record/list')
      return (body.data as { readonly streamPath: string }[]).some(({ streamPath }) => streamPath === 'live/now')
    }
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'recording/recordings')
    await console.button('Record a stream').click()
    await console.page.getByRole('combobox', { name: 'Stream' }).fill('live/now')
    await console.button('Start').click()
    await console.text('live/now is being recorded.')
    expect(await isActive()).to.equal(true)

    await console.goTo('recording/recordings/mp4/live/now')
    await console.page.getByRole('tab', { name: 'Events' }).click()
    await console.button('Record an event').click()
    await console.page.getByLabel('Name', { exact: true }).fill('Ring')
    await console.page.getByRole('dialog').getByRole('button', { name: 'Record an event' }).click()
    await console.row('Ring').waitFor()

    await console.goTo('recording/recordings')
    await console.confirm(console.row('live/now').getByRole('button', { name: 'Stop' }))
    await console.text('The recording has ended.')
    await waitFor(async () => !(await isActive()))
    expect(console.problems).to.eql([])
    source.signal('SIGTERM')
  })
})
