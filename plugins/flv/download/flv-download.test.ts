import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { AccessUnit, type PlaybackInit, type Recording, type Recordings, type Track } from 'sluice/sdk'
import { createFakeHost, SCRIPTED_AUDIO, type FakeHost } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import flv from '../index.ts'

const FRAME_BYTES = 64 * 1024
/** What sockets and streams hold on both sides may be as much. */
const MAX_AHEAD_BYTES = 32 * 1024 * 1024

const TRACK: Track = { ...SCRIPTED_AUDIO, id: 0 }

/** Recordings of a stream without end. */
class EndlessRecordings {
  readonly asked: PlaybackInit[] = []
  signal: AbortSignal | undefined
  units = 0

  async open(init: PlaybackInit, signal: AbortSignal): Promise<Recording> {
    this.asked.push(init)
    this.signal = signal
    const dates = { dateOf: (ms: number) => 1_700_000_000_000 + ms, positionOf: (ms: number) => ms }
    const next = () => {
      this.units += 1
      return AccessUnit.fromData(TRACK, this.units, this.units, true, Buffer.alloc(FRAME_BYTES))
    }
    return { tracks: [TRACK], durationMs: 60_000, dates, next, seek: () => {} }
  }
}

describe('downloads of FLV', () => {
  let host: FakeHost<unknown>
  let recordings: EndlessRecordings
  beforeEach(async () => {
    recordings = new EndlessRecordings()
    // It asks for nothing else of them.
    host = await createFakeHost(flv, { services: { recordings: recordings as unknown as Recordings } })
  })
  afterEach(() => host.dispose())

  /** A client that takes nothing until it is told to. */
  async function ask(target: string): Promise<Socket> {
    const socket = connect(Number(new URL(host.http.origin).port)).pause()
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await waitFor(() => recordings.units > 0)
    return socket
  }

  it('read no further than the client takes, and end with it', async () => {
    const socket = await ask('/flv/download/live/cam.flv?start=1700000000&end=1700000060&type=mp4')
    const range = { startMs: 1_700_000_000_000, endMs: 1_700_000_060_000 }
    expect(recordings.asked).to.eql([{ streamPath: 'live/cam', type: 'mp4', ...range }])
    let before = -1
    await waitFor(() => before === (before = recordings.units))
    expect(recordings.units * FRAME_BYTES).to.be.below(MAX_AHEAD_BYTES)
    const [play] = host.streams.plays
    expect([recordings.signal?.aborted, play?.closeReason]).to.eql([false, undefined])
    socket.destroy()
    await waitFor(() => recordings.signal?.aborted === true && play?.closeReason !== undefined)
    expect(host.log.problems).to.eql([])
  })

  it('end when the plugin is unloaded', async () => {
    const socket = await ask('/flv/download/live/cam')
    expect(recordings.asked[0]?.startMs).to.equal(undefined)
    host.streams.dispose()
    await waitFor(() => recordings.signal?.aborted)
    socket.destroy()
  })

  it('are for those whom the gates let in', async () => {
    host.streams.denyAll()
    const answer = await fetch(`${host.http.origin}/flv/download/live/cam?start=1700000000`)
    expect([answer.status, recordings.asked]).to.eql([401, []])
    expect(host.streams.requests[0]).to.deep.include({ action: 'play', protocol: 'flv', streamPath: 'live/cam' })
  })

  it('are told to be nothing where nobody records', async () => {
    const other = await createFakeHost(flv)
    const answer = await fetch(`${other.http.origin}/flv/download/live/cam?start=1700000000`)
    expect([answer.status, other.streams.plays[0]?.closeReason?.code]).to.eql([503, 'closed'])
    await other.dispose()
  })
})
