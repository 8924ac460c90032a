import type { AccessUnit, StreamManager, Subscriber } from 'sluice/sdk'
import type { PeerFrame } from '../../peers/rtsp.ts'

const CLIENT = { ip: '', port: 0, userAgent: 'test' }

/** A subscriber of a test's own server, and all that it gets. */
export class ReceivedUnits {
  readonly subscriber: Subscriber
  readonly units: AccessUnit[] = []
  /** What its reader was told besides units, in order. */
  readonly events: ('discontinuity' | 'source ended')[] = []
  /** Why it ended, once it has. */
  closed: string | undefined

  private constructor(subscriber: Subscriber) {
    this.subscriber = subscriber
    subscriber.onClose(({ text }) => (this.closed = text))
    subscriber.read({
      unit: (unit) => void this.units.push(unit),
      discontinuity: () => void this.events.push('discontinuity'),
      sourceEnded: () => void this.events.push('source ended'),
    })
  }

  /** @throws {SluiceError} as `StreamManager.subscribe` */
  static async of(streams: StreamManager, streamPath: string): Promise<ReceivedUnits> {
    return new ReceivedUnits(await streams.subscribe({ streamPath, url: '', query: '', client: CLIENT }))
  }

  /** As peers get them, for the comparison with a source. */
  get frames(): PeerFrame[] {
    return this.units.map((unit) => ({
      kind: unit.track.kind === 'video' ? 'video' : 'audio',
      ptsMs: (unit.pts * 1000) / unit.track.timescale,
      data: unit.track.codec.startsWith('h26') ? unit.annexB : unit.data,
    }))
  }

  /** Times of one kind in milliseconds, as they came. */
  timesMs(kind: 'video' | 'audio'): number[] {
    return this.units.filter(({ track }) => track.kind === kind).map(({ dts, track }) => (dts * 1000) / track.timescale)
  }
}
