import { performance } from 'node:perf_hooks'
import type { UnitSink } from 'sluice/sdk'
import {
  isRtcp,
  parseRtpPacket,
  PsPayloadReader,
  RtpReceiver,
  StallClock,
  sumReceptions,
  tryParse,
  type RtpPacket,
  type RtpReceptionCounts,
} from 'sluice/sdk/media'
import type { GbContext } from '../plugin-context.ts'

/** The longest wait for a missing packet, and the most later packets that are kept meanwhile. */
const DATAGRAM_ORDER = { maxPackets: 1024, maxDelayMs: 200 }
/** Over a connection, all packets come in order. */
const STREAM_ORDER = { maxPackets: 0, maxDelayMs: 0 }
/** The time between looks for packets that have waited long enough for others. */
const TICK_MS = 20
/** G.711 whose numbers are this far from those of the stream has numbers of its own. */
const OTHER_NUMBERS = 1000
const PS_FORMAT = {
  payloadType: 96,
  encodingName: 'PS',
  clockRate: 90_000,
  channels: 1,
  parameters: new Map<string, string>(),
}
const G711_PAYLOAD_TYPES: ReadonlySet<number> = new Set([0, 8])

type Timers = Pick<GbContext, 'setInterval'>

/** Makes tracks and units of the packets of a device: MPEG-PS by RTP, with G.711 among it where the device sends it so. */
export class PsIngest {
  readonly #reader: PsPayloadReader
  readonly #receiver: RtpReceiver
  readonly #sound: RtpReceiver
  readonly #clock: StallClock
  readonly #stopTicking: () => void
  #onComplete: (() => void) | undefined
  #psNumber: number | undefined
  #brokenPackets = 0

  /**
   * @param isDatagram whether packets may be late, lost, or out of order
   * @param onComplete called once, when all streams have their tracks that the device says it sends
   */
  constructor(sink: UnitSink, isDatagram: boolean, timers: Timers, onComplete: () => void) {
    this.#onComplete = onComplete
    const reorder = isDatagram ? DATAGRAM_ORDER : STREAM_ORDER
    this.#reader = new PsPayloadReader(sink)
    this.#receiver = new RtpReceiver({ format: PS_FORMAT, reader: this.#reader, reorder })
    this.#sound = new RtpReceiver({ format: PS_FORMAT, reader: soundReader(this.#reader), reorder })
    this.#clock = new StallClock(performance.now(), isDatagram ? 2 * TICK_MS : Infinity)
    this.#stopTicking = isDatagram ? timers.setInterval(() => this.#tick(), TICK_MS) : () => {}
  }

  /** The counts of the packets so far. */
  get counts(): RtpReceptionCounts {
    const { brokenPackets, ...sum } = sumReceptions([this.#receiver.counts, this.#sound.counts])
    return { ...sum, brokenPackets: brokenPackets + this.#brokenPackets }
  }

  /** Streams that make no track, for example `SVAC video`. */
  get unsupported(): ReadonlySet<string> {
    return this.#reader.demuxer.unsupported
  }

  /** Takes a packet and keeps its bytes. */
  push(bytes: Buffer): void {
    if (isRtcp(bytes)) return
    const packet = tryParse(parseRtpPacket, bytes)
    if (packet === undefined) {
      this.#brokenPackets += 1
      return
    }
    const nowMs = this.#clock.at(performance.now())
    if (this.#isSoundAlone(packet)) return this.#sound.receive(packet, nowMs)
    // Whatever payload type a device gives it, all else is the program stream.
    if (!G711_PAYLOAD_TYPES.has(packet.payloadType)) this.#psNumber = packet.sequenceNumber
    this.#receiver.receive(packet, nowMs)
    if (this.#onComplete !== undefined && this.#reader.demuxer.isComplete) {
      this.#onComplete()
      this.#onComplete = undefined
    }
  }

  /** Bytes are missing before the next packet. */
  lost(): void {
    this.#reader.lost()
  }

  /** Gives out what is held back, at the end of the stream. */
  close(): void {
    this.#stopTicking()
    this.#receiver.flush()
    this.#reader.demuxer.flush()
  }

  /** True for G.711 that is not numbered with the stream. */
  #isSoundAlone({ payloadType, sequenceNumber }: RtpPacket): boolean {
    if (!G711_PAYLOAD_TYPES.has(payloadType) || this.#psNumber === undefined) return false
    const apart = Math.abs(((sequenceNumber - this.#psNumber + 0x8000) & 0xffff) - 0x8000)
    return apart > OTHER_NUMBERS
  }

  #tick(): void {
    const nowMs = this.#clock.tick(performance.now())
    this.#receiver.tick(nowMs)
    this.#sound.tick(nowMs)
  }
}

/** Reads packets of G.711 alone: what is missing among them is no loss of the stream. */
function soundReader(reader: PsPayloadReader) {
  return { track: undefined, take: (packet: RtpPacket) => reader.take(packet), lost: () => {}, report: () => {} }
}
