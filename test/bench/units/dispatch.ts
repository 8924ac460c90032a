import type { Publisher, Sink, Track } from 'sluice/sdk'
import { frameBinaryMessage } from 'sluice/sdk/http'
import { AccessUnit } from 'sluice/sdk/media'
import { RegistryRig } from '../../../core/stream/fixtures/registry-rig.ts'
import type { Tape } from '../media/tape.ts'
import { RTMP_FORMAT } from './mux.ts'
import { recordedUnits } from './recorded-units.ts'
import type { UnitBench } from './unit-bench.ts'

const VIEWERS = [0, 1, 100, 1000]
/** Over WebSocket. */
const FRAMED_VIEWERS = 1000
const SINK: Sink = { write: () => undefined, queuedBytes: 0 }
/** Units of one run; each leaves in a turn of the event loop of its own, as with a single live stream. */
const UNITS = 100

/** From a publisher through its stream to sinks that take everything and do nothing, without write merging. */
export async function dispatchBenches(tape: Tape): Promise<UnitBench[]> {
  const framed = dispatchBench(tape, FRAMED_VIEWERS, { ...SINK, frame: frameBinaryMessage })
  return Promise.all([...VIEWERS.map((viewers) => dispatchBench(tape, viewers, SINK)), framed])
}

async function dispatchBench(tape: Tape, viewers: number, sink: Sink): Promise<UnitBench> {
  // The benches wait for each other, which is not to be taken for a publisher's silence.
  const rig = new RegistryRig({ publish: { publishtimeout: '1h' }, subscribe: { writemerge: '0ms' } })
  const units = new EndlessUnits(await rig.publish('live/bench'), tape)
  for (let count = 0; count < viewers; count++) {
    const subscriber = await rig.subscribe('live/bench')
    subscriber.attach(RTMP_FORMAT, sink)
  }
  const run = async () => {
    for (let count = 0; count < UNITS; count++) {
      units.write()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { name: `dispatch to ${viewers}${sink.frame ? ', framed' : ''}`, units: UNITS, run }
}

/** A tape's units over and over, with times that go on. */
export class EndlessUnits {
  readonly #publisher: Publisher
  readonly #tracks: readonly Track[]
  readonly #units: readonly AccessUnit[]
  readonly #durationMs: number
  #position = 0
  #passMs = 0

  constructor(publisher: Publisher, tape: Tape) {
    const { tracks, units } = recordedUnits(tape)
    this.#publisher = publisher
    this.#tracks = tracks.map((track) => publisher.addTrack(track))
    this.#units = units
    this.#durationMs = tape.durationMs
    publisher.tracksComplete()
  }

  write(): void {
    const { track, dts, pts, keyframe, data } = this.#units[this.#position]!
    const ofPublisher = this.#tracks[track.id]!
    this.#publisher.write(AccessUnit.fromData(ofPublisher, dts + this.#passMs, pts + this.#passMs, keyframe, data))
    if (++this.#position < this.#units.length) return
    this.#position = 0
    this.#passMs += this.#durationMs
  }
}
