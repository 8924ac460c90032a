import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { publish } from '../../peers/ffmpeg.ts'
import type { PeerProcess } from '../../peers/process.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { RtmpClient } from '../../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const EVIL_PATH = `live/<img src=x onerror="document.title='evil'">`
/** Longer than the tests of this file: its end is asked for. */
const LONG_SECONDS = 3600

type ShownStream = {
  readonly path: string
  readonly recording: readonly { readonly pluginName: string }[]
}

describe('the page of streams in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  let publisher: PeerProcess
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'ffmpeg')
    server = await startServer()
    browser = await openChromium()
    publisher = publishTo('live/door')
    await isPublished('live/door')
  })

  function publishTo(streamPath: string): PeerProcess {
    return publish({ url: server.rtmp(streamPath), durationSeconds: LONG_SECONDS, output: ['-tune', 'zerolatency'] })
  }

  function open(path: string, options: Parameters<typeof ConsolePage.open>[3] = {}): Promise<ConsolePage> {
    return ConsolePage.open(browser, server.http('/admin/'), path, options)
  }

  async function isPublished(streamPath: string): Promise<void> {
    await waitFor(async () => (await streams()).some(({ path }) => path === streamPath), { what: streamPath })
  }

  async function streams(): Promise<readonly ShownStream[]> {
    return (await server.api('/api/stream/list')).body.data as readonly ShownStream[]
  }

  /** Waits until somebody takes a stream by a protocol. */
  async function isWatchedBy(protocol: string): Promise<void> {
    const look = async () => {
      const { data } = (await server.api('/api/subscribers')).body
      return (data as readonly { readonly pluginName: string }[]).some(({ pluginName }) => pluginName === protocol)
    }
    await waitFor(look, { what: `a viewer by ${protocol}` })
  }

  it('finds one of several by a part of its path, and opens it', async () => {
    await RtmpClient.publish({ url: server.rtmp('live/window') })
    const console = await open('streams')
    await console.row('live/window').waitFor()
    const row = console.row('live/door')
    await row.filter({ hasText: 'H.264 320 × 240, AAC' }).waitFor()
    await console.page.getByLabel('Search by path').fill('DOOR')
    await console.row('live/window').waitFor({ state: 'detached' })
    await row.click()
    await console.heading('live/door')
    expect(console.page.url()).to.equal(server.http('/admin/streams/live/door'))
    await console.page.getByRole('link', { name: 'All streams' }).click()
    // The search is as it was left.
    expect(await console.page.getByLabel('Search by path').inputValue()).to.equal('DOOR')
  })

  it('shows names as text, and is sound in light and dark', async () => {
    await RtmpClient.publish({ url: server.rtmp(EVIL_PATH) })
    for (const colorScheme of ['light', 'dark'] as const) {
      const console = await open('streams', { colorScheme })
      await console.row(EVIL_PATH).click()
      await console.heading(EVIL_PATH)
      await console.isSound()
      expect(await console.page.title()).to.equal(`${EVIL_PATH} – Sluice`)
    }
  })

  it('plays by each transport, the one with the least delay first, and says the delay', async () => {
    const console = await open('streams/live/door')
    const chosen = (name: string) => console.page.getByRole('radio', { name, exact: true })
    await isWatchedBy('webrtc')
    await console.plays()
    expect(await chosen('WebRTC').isChecked()).to.equal(true)
    for (const [label, protocol] of [
      ['FLV', 'flv'],
      ['HLS', 'hls'],
      ['MP4', 'mp4'],
    ] as const) {
      await console.page.getByText(label, { exact: true }).click()
      await isWatchedBy(protocol)
      await console.plays()
      await console.text(/^Delay \d+(?:\.\d+)? s$/u)
    }
    expect(await chosen('MP4').isChecked()).to.equal(true)
    await console.isSound()
  })

  it('stops and goes on by the keyboard, and leaves the server when the page is left', async () => {
    const console = await open('streams/live/door')
    await console.plays()
    const video = console.page.getByLabel('Player of live/door')
    await video.press(' ')
    await console.text('Stopped')
    await waitFor(async () => ((await server.api('/api/subscribers')).body.data as readonly unknown[]).length === 0)
    await video.press(' ')
    await console.plays()
    await video.press('m')
    await console.button('Sound off').waitFor()
    await console.page.getByRole('link', { name: 'Tasks' }).click()
    await waitFor(async () => ((await server.api('/api/subscribers')).body.data as readonly unknown[]).length === 0)
  })

  it('says why a transport does not play, plays by the next, and goes on when the stream does', async () => {
    const first = publish({
      url: server.rtmp('live/silent'),
      durationSeconds: LONG_SECONDS,
      video: { bFrames: 0 },
      audio: false,
    })
    const console = await open('streams')
    await console.page.route('**/webrtc/whep/**', (route) => route.fulfill({ status: 406, body: 'no codec in common' }))
    await console.goTo('streams/live/silent')
    await console.text('Not by WebRTC: no codec in common. FLV instead.')
    await console.plays()
    first.signal('SIGTERM')
    await console.text('No new picture comes')
    publish({ url: server.rtmp('live/silent'), durationSeconds: LONG_SECONDS, audio: false })
    await console.page.getByText('No new picture comes').waitFor({ state: 'hidden' })
    await console.plays()
    const [viewer] = (await server.api('/api/subscribers/live/silent')).body.data as readonly { readonly id: number }[]
    await server.api(`/api/subscribe/stop/${viewer?.id}`, { method: 'POST', body: '{}' })
    await console.text('The stream has ended')
    await console.page.getByText('The stream has ended').waitFor({ state: 'hidden' })
    await console.plays()
  })

  it('shows the tracks, and the frames as bars', async () => {
    const console = await open('streams/live/door')
    await console.page.getByRole('tab', { name: 'Tracks' }).click()
    await console.text(/^(?:Baseline|High|Constrained).*\(avc1\./u)
    await console.page.getByRole('img', { name: /^\d+ frames, 1 of them keyframes; the largest has/u }).waitFor()
    await console.isSound()
  })

  it('records and stops recording', async () => {
    const console = await open('streams/live/door')
    await console.page.getByRole('tab', { name: 'Recording' }).click()
    await console.button('Record').click()
    await console.row('MP4').waitFor()
    const recorded = async () => (await streams()).find(({ path }) => path === 'live/door')?.recording ?? []
    expect((await recorded()).map(({ pluginName }) => pluginName)).to.eql(['mp4'])
    await console.isSound()
    await console.confirm(console.button('Stop the recording as mp4'))
    await console.text('Nothing is recorded of this stream at present.')
    expect(await recorded()).to.eql([])
  })

  it('gives it a second name, and takes that back', async () => {
    const aliases = async () => (await server.api('/api/stream/alias/list')).body.data as readonly unknown[]
    const console = await open('streams/live/door')
    await console.page.getByRole('tab', { name: 'Aliases' }).click()
    await console.page.getByLabel('New alias').fill('live/front')
    await console.button('Add').click()
    await console.row('live/front').waitFor()
    expect(await aliases()).to.deep.include({
      streamPath: 'live/door',
      alias: 'live/front',
      autoRemove: false,
      status: 1,
    })
    await console.isSound()
    await console.confirm(console.button('Remove live/front'))
    await console.text('This stream has no alias.')
    expect(await aliases()).to.eql([])
  })

  it('takes a picture', async () => {
    const console = await open('streams/live/door')
    await console.button('Snapshot').click()
    await console.page.getByRole('img', { name: 'A picture of live/door' }).waitFor()
    const width = () => console.page.evaluate(`document.querySelector('[role=dialog] img')?.naturalWidth`)
    await waitFor(async () => (await width()) === 320, { what: 'a picture of the size of the stream' })
    await console.isSound()
  })

  it('lists the streams that viewers wait for', async () => {
    await RtmpClient.play({ url: server.rtmp('live/later') })
    const console = await open('streams')
    await console.text('Waited for')
    await console.page.getByRole('link', { name: 'live/later' }).waitFor()
  })

  it('stops a stream', async () => {
    const console = await open('streams/live/door')
    await console.confirm(console.button('Stop'))
    await console.text('Nobody publishes this stream at present.')
    expect((await streams()).map(({ path }) => path)).not.to.include('live/door')
    await publisher.exit
  })
})
