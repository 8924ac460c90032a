import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { Connection } from '../../../../plugins/srt/wire/connection.ts'
import { offerKeys, type ConnectionKeys } from '../../../../plugins/srt/wire/crypto/connection-keys.ts'
import { CallerHandshake } from '../../../../plugins/srt/wire/handshake/caller-handshake.ts'
import type { Negotiated } from '../../../../plugins/srt/wire/handshake/negotiation.ts'
import { REJECT_REASON } from '../../../../plugins/srt/wire/handshake/reject-reason.ts'
import { parseDataPacket, type DataPacket } from '../../../../plugins/srt/wire/packet/data-packet.ts'
import { destinationOf, HEADER_BYTES, isControl } from '../../../../plugins/srt/wire/packet/packet-header.ts'
import type { LoadViewer } from '../load-viewer.ts'
import { ViewerCounts } from '../viewer-counts.ts'
import { everyTick } from './ticks.ts'
import { TsPictures, type ArrivedPicture } from './ts-pictures.ts'

/** Of the group of pictures that a viewer begins with. */
const RECEIVE_BUFFER_BYTES = 1024 * 1024
/** As servers have it unless told otherwise. */
const LATENCY_MS = 120
/** When those ask again for whom there was no room, or nobody. */
const RETRY_MS = 50
const ADDRESS = '127.0.0.1'
const TERMS = { receiveLatencyMs: LATENCY_MS, sendLatencyMs: LATENCY_MS }

export type SrtViewerInit = {
  readonly port: number
  readonly streamId: string
  readonly passphrase: string | undefined
  /** Read all along, instead of only counting packets after the first keyframe. */
  readonly readsAll: boolean
}

/**
 * Takes a stream by SRT, with a socket of its own. It reads what comes to its first keyframe, and further if it is to; then it
 * counts packets, which it acknowledges and does not decrypt. What it reads, it reads as it comes, and not when it would be played.
 */
export class SrtViewer implements LoadViewer {
  firstKeyframeMs: number | undefined
  failure: string | undefined
  readonly #init: SrtViewerInit
  readonly #settled: (viewer: LoadViewer) => void
  readonly #startMs = performance.now()
  readonly #socketId = randomInt(1, 2 ** 30)
  readonly #pictures = new TsPictures((picture) => this.#see(picture))
  #counts = new ViewerCounts()
  #socket: Socket | undefined
  #keys: ConnectionKeys | undefined
  #handshake: CallerHandshake | undefined
  #connection: Connection | undefined
  #askedMs = 0
  #wasHeard = false
  #endTicks: (() => void) | undefined
  #dropped = 0
  #reading = true
  #isStalled = false

  /** @param settled Called once: the first keyframe is there, or it has failed. */
  constructor(init: SrtViewerInit, settled: (viewer: LoadViewer) => void) {
    this.#init = init
    this.#settled = settled
    this.#call().catch((error: unknown) => this.#fail(String(error)))
  }

  get counts(): ViewerCounts {
    this.#counts.lostPackets = this.#droppedSoFar - this.#dropped
    return this.#counts
  }

  beginWindow(): void {
    this.#counts = this.#counts.next()
    this.#dropped = this.#droppedSoFar
  }

  /** Hears nothing and says nothing. */
  stall(): void {
    this.#isStalled = true
  }

  resume(): void {
    this.#isStalled = false
  }

  get #droppedSoFar(): number {
    return this.#connection?.statistics().pktRcvDropTotal ?? 0
  }

  async #call(): Promise<void> {
    const { passphrase } = this.#init
    this.#keys = passphrase === undefined ? undefined : await offerKeys({ passphrase, keyBytes: 16 })
    const socket = createSocket('udp4')
    this.#socket = socket
    socket.bind(0, ADDRESS)
    await once(socket, 'listening')
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
    socket.on('message', (datagram) => this.#receive(datagram))
    socket.on('error', (error) => this.#fail(error.message))
    this.#endTicks = everyTick(() => this.#tick())
    this.#ask()
  }

  #ask(): void {
    if (this.failure !== undefined) return
    const { streamId } = this.#init
    this.#handshake = new CallerHandshake({
      socketId: this.#socketId,
      sequence: randomInt(2 ** 31),
      streamId,
      terms: TERMS,
      ...(this.#keys && { keyRequest: this.#keys.sending.message }),
      send: (datagram) => this.#send(datagram),
      refused: (reason) => this.#refused(reason),
      connected: (negotiated) => this.#begin(negotiated),
    })
    this.#askedMs = performance.now()
    this.#handshake.start(nowUs())
  }

  /** A server may have a short queue of those that wait. */
  #refused(reason: number): void {
    if (reason === REJECT_REASON.backlog) setTimeout(() => this.#ask(), RETRY_MS)
    else this.#fail(`refused with ${reason}`)
  }

  #begin(negotiated: Negotiated): void {
    this.#connection = new Connection({
      negotiated,
      nowUs,
      sink: {
        send: (datagrams) => datagrams.forEach((datagram) => this.#send(datagram)),
        sendRun: () => {},
      },
      received: () => {},
      closed: (end) => this.#fail(`closed by ${end.by}`),
    })
  }

  #tick(): void {
    if (this.#isStalled) return
    if (this.#connection !== undefined) this.#connection.tick()
    else if (this.#wasHeard) this.#handshake?.tick(nowUs())
    else if (performance.now() - this.#askedMs > RETRY_MS) this.#ask()
  }

  #receive(datagram: Buffer): void {
    if (this.#isStalled || this.failure !== undefined) return
    if (datagram.length < HEADER_BYTES || destinationOf(datagram) !== this.#socketId) return
    this.#wasHeard = true
    if (this.#connection === undefined) return this.#handshake?.receive(datagram, nowUs())
    if (!isControl(datagram)) this.#count(datagram)
    this.#connection.receive(datagram)
  }

  /** What was sent again may have come before, and comes out of order: it is left out, and its picture has no marker then. */
  #count(datagram: Buffer): void {
    const packet = parseDataPacket(datagram)
    if (packet === undefined || packet.isRetransmitted) return
    this.#counts.receivedBytes += packet.payload.length
    if (this.#reading) this.#read(packet)
  }

  #read({ keyFlag, sequence, payload }: DataPacket): void {
    const clear = keyFlag === 0 ? payload : this.#keys?.receiving.decrypt(keyFlag, sequence, payload)
    if (clear === undefined) return this.#fail('a packet of an unknown key')
    this.#pictures.push(clear, process.hrtime.bigint())
  }

  #see({ keyframe, marker, clockNs }: ArrivedPicture): void {
    if (this.firstKeyframeMs === undefined) {
      if (!keyframe) return
      this.firstKeyframeMs = performance.now() - this.#startMs
      this.#reading = this.#init.readsAll
      this.#settled(this)
    }
    if (!this.#init.readsAll || marker === null) return
    this.#counts.see(marker)
    this.#counts.arrived(marker, clockNs)
  }

  #send(datagram: Buffer): void {
    if (this.failure === undefined) this.#socket?.send(datagram, this.#init.port, ADDRESS)
  }

  #fail(reason: string): void {
    if (this.failure !== undefined) return
    this.failure = reason
    this.#endTicks?.()
    this.#socket?.close()
    if (this.firstKeyframeMs === undefined) this.#settled(this)
  }
}

function nowUs(): number {
  return Math.round(performance.now() * 1000)
}
