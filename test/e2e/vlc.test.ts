import path from 'node:path'
import { expect } from 'chai'
import { TsDemuxer, type AccessUnit, type Track, type TrackInit, type UnitSink } from 'sluice/sdk/media'
import { requirePeer } from '../peers/require-peer.ts'
import { playInVlc } from '../peers/vlc.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer } from '../support/server.ts'

const LOOP_MS = 2000
/** How long the stream has run when VLC comes: longer than VLC gathers before it plays. */
const AGE_MS = 4000
const KINDS = ['video', 'audio'] as const
/** Of each kind, a second or more. */
const ENOUGH_UNITS = 50
/** A picture or frame of sound, and what VLC rounds. */
const TOLERANCE_SECONDS = 0.1

/** Units as they come, by their kind. */
class Played implements UnitSink {
  readonly units: Record<Track['kind'], AccessUnit[]> = { video: [], audio: [], data: [] }
  #tracks = 0

  addTrack(init: TrackInit): Track {
    return { ...init, id: this.#tracks++ }
  }

  configureTrack<Kind extends Track>(track: Kind): Kind {
    return track
  }

  removeTrack(): void {}

  lost(): void {}

  write(unit: AccessUnit): void {
    this.units[unit.track.kind].push(unit)
  }
}

describe('VLC', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'vlc')
  })

  it('plays pictures and sound of live fMP4 at one time, also of a stream that runs already', async () => {
    const server = await startServer()
    const { tags } = await makeFlvFile(path.join(server.folder, 'source.flv'), { durationSeconds: LOOP_MS / 1000 })
    const source = await LiveSource.start({ url: server.rtmp('live/vlc'), tags, loopMs: LOOP_MS })
    const lastMs = () => server.server.streams.get('live/vlc')?.publisher?.timeline.lastMs ?? 0
    await waitFor(() => lastMs() > AGE_MS, { what: 'the stream to be of some age' })
    const vlc = playInVlc(server.http('/mp4/live/vlc.mp4'))
    const played = new Played()
    const demuxer = new TsDemuxer(played)
    let readBytes = 0
    const isEnough = () => {
      const bytes = vlc.stdout
      demuxer.push(bytes.subarray(readBytes))
      readBytes = bytes.length
      return KINDS.every((kind) => played.units[kind].length > ENOUGH_UNITS)
    }
    await waitFor(isEnough, { what: 'pictures and sound out of VLC' }).catch((cause: unknown) => {
      const counts = Object.entries(played.units).map(([kind, { length }]) => `${length} of ${kind}`)
      throw vlc.error(`gave ${counts.join(', ')} (${String(cause)})`)
    })
    source.close()
    const [video, audio] = KINDS.map((kind) => {
      const [first] = played.units[kind]
      return first!.pts / first!.track.timescale
    })
    expect(audio).to.be.closeTo(video!, TOLERANCE_SECONDS)
    await vlc.close()
    await server.stop()
  })
})
