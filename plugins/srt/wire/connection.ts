import { MalformedError } from 'sluice/sdk/media'
import type { ConnectionKeys } from './crypto/connection-keys.ts'
import type { Negotiated } from './handshake/negotiation.ts'
import type { ControlBody } from './live/control-body.ts'
import type { PacketSink } from './live/packet-sink.ts'
import { Receiver } from './live/receiver.ts'
import { Sender } from './live/sender.ts'
import { acknowledgementAnswer } from './packet/acknowledgement-answer.ts'
import { parseControlPacket, serializeControlPacket, type ControlPacket } from './packet/control-packet.ts'
import { parseDataPacket } from './packet/data-packet.ts'
import { isControl } from './packet/packet-header.ts'
import type { SrtStatistics } from './statistics.ts'

/** The time of silence after which a peer counts as gone, as in libsrt. */
const SILENCE_US = 5_000_000
/** Something is sent at least this often (draft-sharabayko-srt-01 3.2.3). */
const KEEP_ALIVE_US = 1_000_000
/** The shortest time between two calls of `alive`. */
const SIGN_INTERVAL_US = 1_000_000
/** The longest that an end waits, in addition to the peer's latency, for the peer to have played everything sent. */
const MAX_LINGER_US = 10_000_000
/** A new key that the peer has not confirmed is announced again after this many round trips (7.2.3). */
const KEY_ROUND_TRIPS = 1.5
const MIN_KEY_INTERVAL_US = 20_000
const BITS_PER_MEGABIT = 1_000_000
const TS_PACKET_BITS = 1316 * 8

/** How a connection has ended. */
export type ConnectionEnd = { readonly by: 'here' } | { readonly by: 'peer' } | { readonly by: 'silence' }

export type ConnectionInit = {
  readonly negotiated: Negotiated
  /** The keys that the handshake has agreed on; the connection owns them from now on. */
  readonly keys?: ConnectionKeys | undefined
  readonly sink: PacketSink
  /** A monotonic clock in whole microseconds: that of the handshake. */
  readonly nowUs: () => number
  /** The limit of bytes sent per second, headers included; without it, everything is sent in bursts that fit into receivers' buffers. */
  readonly maxBytesPerSecond?: number | undefined
  /**
   * Takes a payload, in order and when it is due, and the number of payloads missing before it. Without it, the peer's payloads are dropped
   * at once.
   */
  readonly received?: (payload: Buffer, missing: number) => void
  /** Called about once a second while the peer sends anything, be it only keepalives. */
  readonly alive?: () => void
  /** Called once. */
  readonly closed: (end: ConnectionEnd) => void
}

/**
 * An established SRT connection in live mode (draft-sharabayko-srt-01): both directions, encrypted when both ends have keys. It has no
 * timers: `tick` is to be called every few milliseconds.
 */
export class Connection {
  readonly #init: ConnectionInit
  readonly #receiver: Receiver
  readonly #sender: Sender
  #heardUs: number
  /** The time from the end of the handshake here to the first packet of the peer. */
  #silentUs: number | undefined
  #saidUs: number
  #signUs: number
  #keyRequestUs = -Infinity
  #isTakingKeys = false
  /** The time at which the peer has played everything, and the connection is to be closed. */
  #endUs: number | undefined
  #isClosed = false

  constructor(init: ConnectionInit) {
    const { negotiated, keys, sink, maxBytesPerSecond } = init
    const nowUs = init.nowUs()
    const sendControl = (body: ControlBody) => this.#send(body)
    // A call of `received` may close the connection, and then must be the last.
    const received = (payload: Buffer, missing: number) => {
      if (!this.#isClosed) init.received?.(payload, missing)
    }
    this.#init = init
    this.#receiver = new Receiver({ negotiated, keys: keys?.receiving, nowUs, sendControl, received })
    this.#sender = new Sender({ negotiated, keys: keys?.sending, nowUs, maxBytesPerSecond, sink, sendControl })
    this.#heardUs = nowUs
    this.#saidUs = nowUs
    this.#signUs = nowUs
  }

  /** The bytes that wait to be sent for the first time. */
  get queuedBytes(): number {
    return this.#sender.queuedBytes
  }

  /** Takes a datagram for this connection's socket id and keeps its bytes. A malformed one is dropped. */
  receive(datagram: Buffer): void {
    if (this.#isClosed) return
    const nowUs = this.#init.nowUs()
    if (!isControl(datagram)) {
      const packet = parseDataPacket(datagram)
      // A payload longer than agreed on is not the peer's, and would make the buffer larger than its count of packets allows.
      if (packet === undefined || packet.payload.length > this.#init.negotiated.maxPayloadBytes) return
      this.#hear(nowUs)
      if (this.#init.received !== undefined) this.#receiver.receive(packet, nowUs)
      return
    }
    const packet = parseOrNothing(datagram)
    if (packet === undefined) return
    this.#hear(nowUs)
    this.#control(packet, nowUs)
  }

  /**
   * Does the work that is due. To be called about every 20 ms.
   * @returns true when work is under way, and it is to be called again after 5 ms
   */
  tick(): boolean {
    if (this.#isClosed) return false
    const nowUs = this.#init.nowUs()
    this.#receiver.tick(nowUs)
    if (this.#isClosed) return false
    this.#sender.tick(nowUs)
    this.#announceKeys(nowUs)
    if (nowUs - Math.max(this.#saidUs, this.#sender.sentUs) >= KEEP_ALIVE_US) this.#send({ kind: 'keepAlive' })
    this.#giveSign(nowUs)
    if (nowUs - this.#heardUs >= SILENCE_US) this.#close({ by: 'silence' })
    else if (this.#endUs !== undefined && this.#isPlayed(nowUs)) this.close()
    return this.#endUs !== undefined || this.#receiver.isBusy || this.#sender.isBusy
  }

  /** Sends whole packets of MPEG-TS, in packets of 1,316 bytes at most. The bytes are kept, and must not be changed. */
  send(bytes: Buffer): void {
    if (this.#isClosed || this.#endUs !== undefined) return
    this.#sender.send(bytes, this.#init.nowUs())
  }

  statistics(): SrtStatistics {
    const nowUs = this.#init.nowUs()
    const { negotiated } = this.#init
    const sender = this.#sender
    const receiver = this.#receiver
    const elapsedUs = Math.max(1, nowUs - negotiated.startUs)
    const isSending = sender.counts.packets > receiver.counts.packets
    const linkPackets = isSending ? sender.linkPacketsPerSecond : receiver.linkPacketsPerSecond
    return {
      msTimeStamp: Math.round(elapsedUs / 1000),
      msRTT: round((isSending ? sender : receiver).roundTrip.rttUs / 1000),
      mbpsBandwidth: round((linkPackets * TS_PACKET_BITS) / BITS_PER_MEGABIT),
      pktSentTotal: sender.counts.packets + sender.counts.retransmitted,
      pktSentUniqueTotal: sender.counts.packets,
      byteSentTotal: sender.counts.bytes + sender.counts.retransmittedBytes,
      byteSentUniqueTotal: sender.counts.bytes,
      pktSndLossTotal: sender.counts.lost,
      pktRetransTotal: sender.counts.retransmitted,
      byteRetransTotal: sender.counts.retransmittedBytes,
      pktSndDropTotal: sender.counts.dropped,
      pktFlightSize: sender.flightPackets,
      pktSndBuf: sender.bufferedPackets,
      byteSndBuf: sender.bufferedBytes,
      msSndBuf: Math.round(sender.bufferedUs(nowUs) / 1000),
      msSndTsbPdDelay: negotiated.sendLatencyMs,
      pktRecvACKTotal: sender.counts.acknowledgements,
      pktRecvNAKTotal: sender.counts.reports,
      mbpsSendRate: round((sender.counts.bytes * 8) / elapsedUs),
      pktRecvTotal: receiver.counts.packets,
      pktRecvUniqueTotal: receiver.counts.packets - receiver.counts.duplicates - receiver.counts.belated,
      byteRecvTotal: receiver.counts.bytes,
      pktRcvLossTotal: receiver.counts.lost,
      pktRcvDropTotal: receiver.counts.dropped,
      pktRcvBelated: receiver.counts.belated,
      pktRcvUndecryptTotal: receiver.counts.undecrypted,
      pktRcvBuf: receiver.bufferedPackets,
      byteRcvBuf: receiver.bufferedBytes,
      msRcvTsbPdDelay: negotiated.receiveLatencyMs,
      pktSentACKTotal: receiver.counts.acknowledgements,
      pktSentNAKTotal: receiver.counts.reports,
      mbpsRecvRate: round((receiver.rate.bytesPerSecond * 8) / BITS_PER_MEGABIT),
    }
  }

  /**
   * Closes the connection once the peer has played everything sent, which takes its latency: libsrt drops the payloads that wait when a
   * connection is closed. Nothing more is sent. Idempotent.
   */
  end(): void {
    if (this.#isClosed || this.#endUs !== undefined) return
    this.#endUs = this.#init.nowUs() + this.#init.negotiated.sendLatencyMs * 1000 + MAX_LINGER_US
  }

  /** Closes the connection at once and sends a shutdown. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#send({ kind: 'shutdown' })
    this.#close({ by: 'here' })
  }

  #control(packet: ControlPacket, nowUs: number): void {
    // Every time stamp is taken, as it may be the one in which the peer's 32-bit clock wraps: there may be no data for long.
    this.#receiver.timeBase.timeOf(packet.timestamp)
    switch (packet.kind) {
      case 'acknowledgement':
        this.#answer(packet.number, nowUs)
        this.#sender.acknowledge(packet.acknowledgement, nowUs)
        break
      case 'lightAcknowledgement':
        this.#sender.acknowledge(packet, nowUs)
        break
      case 'acknowledgedAcknowledgement':
        this.#receiver.confirm(packet.number, packet.timestamp, nowUs)
        break
      case 'lossReport':
        this.#sender.reportLoss(packet.ranges, nowUs)
        break
      case 'dropRequest':
        this.#receiver.giveUp(packet.first, packet.last, nowUs)
        break
      case 'keyMaterial':
        if (packet.isRequest) void this.#takeKeys(packet.message)
        else this.#init.keys?.sending.confirm(packet.message)
        break
      case 'shutdown':
        this.#receiver.flush()
        this.#close({ by: 'peer' })
        break
      // The owner of the connection answers handshakes; congestion warnings and errors belong to the transfer of files.
      case 'keepAlive':
      case 'handshake':
      case 'congestionWarning':
      case 'peerError':
        break
    }
  }

  /** Takes the peer's next key, one request at a time: it repeats them. */
  async #takeKeys(message: Buffer): Promise<void> {
    const { keys } = this.#init
    if (keys === undefined || this.#isTakingKeys) return
    this.#isTakingKeys = true
    try {
      const answer = await keys.receiving.take(message)
      if (answer !== undefined) this.#send({ kind: 'keyMaterial', isRequest: false, message: answer })
    } finally {
      this.#isTakingKeys = false
    }
  }

  #giveSign(nowUs: number): void {
    if (nowUs - this.#signUs < SIGN_INTERVAL_US || this.#heardUs <= this.#signUs) return
    this.#signUs = nowUs
    this.#init.alive?.()
  }

  #announceKeys(nowUs: number): void {
    const message = this.#init.keys?.sending.request
    if (message === undefined) return
    const intervalUs = Math.max(MIN_KEY_INTERVAL_US, KEY_ROUND_TRIPS * this.#sender.roundTrip.rttUs)
    if (nowUs - this.#keyRequestUs < intervalUs) return
    this.#keyRequestUs = nowUs
    this.#send({ kind: 'keyMaterial', isRequest: true, message })
  }

  #hear(nowUs: number): void {
    this.#silentUs ??= nowUs - this.#heardUs
    this.#heardUs = nowUs
  }

  /** A peer's clock of playing starts when the end of the handshake reaches it: at the latest when it was first heard. */
  #isPlayed(nowUs: number): boolean {
    return nowUs >= this.#endUs! || this.#sender.isPlayed(nowUs - (this.#silentUs ?? 0))
  }

  #answer(number: number, nowUs: number): void {
    const { negotiated, sink } = this.#init
    this.#saidUs = nowUs
    const datagram = acknowledgementAnswer(number, nowUs - negotiated.startUs, negotiated.peerSocketId)
    sink.sendRun(datagram, datagram.length)
  }

  #send(body: ControlBody): void {
    if (this.#isClosed) return
    const { negotiated, nowUs, sink } = this.#init
    this.#saidUs = nowUs()
    const timestamp = this.#saidUs - negotiated.startUs
    sink.send([serializeControlPacket({ ...body, timestamp, destination: negotiated.peerSocketId })])
  }

  #close(end: ConnectionEnd): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#init.keys?.sending.close()
    this.#init.keys?.receiving.close()
    this.#init.closed(end)
  }
}

function parseOrNothing(datagram: Buffer): ControlPacket | undefined {
  try {
    return parseControlPacket(datagram)
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
