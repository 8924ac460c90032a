import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import {
  CLIENT_LEFT,
  sessionClient,
  StreamDenied,
  type CloseReason,
  type UdpFlow,
  type UdpListener,
  type UdpPeer,
} from 'sluice/sdk'
import { admit, closeKeys, type Admitted, type Asked } from './admission.ts'
import type { Connections } from './connections.ts'
import { isOrderly, sendStream } from './from-stream.ts'
import { nowUs } from './now.ts'
import type { SrtContext } from './plugin-context.ts'
import { describeReason, Refusal, rejectReasonOf } from './reject.ts'
import { noteSign, TsIngest } from './to-stream.ts'
import { Connection, type ConnectionEnd } from './wire/connection.ts'
import type { ConnectionRequest } from './wire/handshake/connection-request.ts'
import { REJECT_REASON } from './wire/handshake/reject-reason.ts'
import { HANDSHAKE_BYTES } from './wire/packet/handshake-packet.ts'
import { destinationOf, HEADER_BYTES, stampAgain } from './wire/packet/packet-header.ts'

/** A caller sends its conclusion every 250 ms; after this time without one it has given up. */
const GIVEN_UP_MS = 2000
/** A caller that was refused, or has disconnected, is remembered for this time, so that its late conclusions begin nothing. */
const KEPT_MS = 2000

export type SessionInit = {
  readonly ctx: SrtContext
  readonly connections: Connections
  readonly listener: UdpListener
  readonly peer: UdpPeer
  /** The socket id of this end. */
  readonly socketId: number
  readonly request: ConnectionRequest
  /** The datagram that the request came in. */
  readonly conclusion: Buffer
  /** The host and port at which the caller reaches this server. */
  readonly local: { readonly host: string; readonly port: number }
  /** Called once when the session is open or has ended. */
  readonly settled: () => void
  /** Called once when the session has ended. */
  readonly over: () => void
}

/**
 * The session of a caller, from its conclusion on: it waits for a decision, then has a connection, or is refused. Publisher or subscriber
 * and connection end together.
 */
export class Session {
  readonly #init: SessionInit
  readonly #flow: UdpFlow
  readonly #cancelTick: () => void
  readonly #leaving = new AbortController()
  /** The handshake in the conclusion, by which repeats are recognised: it contains the cookie, but no time stamp. */
  readonly #handshake: Buffer
  #log: Logger
  #asked: Asked | undefined
  #heardMs = performance.now()
  /** The answer, which is repeated for each repeat of the conclusion; undefined before the decision. */
  #answer: Buffer | undefined
  /** This end's clock at its time stamp 0. */
  #startUs = nowUs()
  #admitted: Admitted | undefined
  #connection: Connection | undefined
  #ingest: TsIngest | undefined
  #isSettled = false
  /** True when the connection has ended. */
  #hasEnded = false
  #isOver = false

  constructor(init: SessionInit) {
    this.#init = init
    const { ctx, connections, listener, peer, conclusion } = init
    this.#log = ctx.log
    this.#handshake = Buffer.from(handshakeOf(conclusion))
    this.#flow = listener.claim(peer, (datagram) => this.#receive(datagram))
    this.#cancelTick = connections.ticker.add(
      () => this.#tick(),
      (error) => this.#failed(error),
    )
    void this.#begin()
  }

  /** Ends the session, as the plugin ends, and notifies the caller, even one that still waits. Idempotent. */
  close(reason: CloseReason): void {
    this.#leaving.abort()
    if (this.#answer === undefined) this.#give(this.#init.request.reject(REJECT_REASON.down))
    this.#admitted?.member.close(reason)
    this.#connection?.close()
    this.#end()
  }

  #receive(datagram: Buffer): boolean {
    if (datagram.length < HEADER_BYTES) return false
    const destination = destinationOf(datagram)
    if (destination === this.#init.socketId) {
      this.#connection?.receive(datagram)
      return true
    }
    if (destination !== 0 || !handshakeOf(datagram).equals(this.#handshake)) return false
    if (this.#hasEnded) return true
    this.#heardMs = performance.now()
    this.#answerAgain()
    return true
  }

  #tick(): boolean {
    if (this.#connection !== undefined && !this.#hasEnded) return this.#connection.tick()
    const silentMs = performance.now() - this.#heardMs
    if (this.#answer !== undefined && silentMs > KEPT_MS) this.#end()
    else if (this.#answer === undefined && silentMs > GIVEN_UP_MS) this.#leaving.abort()
    return false
  }

  async #begin(): Promise<void> {
    const { ctx, request, peer, local } = this.#init
    const { signal } = this.#leaving
    try {
      const asked = (parsed: Asked) => (this.#asked = parsed)
      const admitted = await admit({ ctx, request, peer, local, signal, asked })
      if (!this.#isOver && !signal.aborted) return this.#open(admitted)
      admitted.member.close(CLIENT_LEFT)
      closeKeys(admitted.keys)
      this.#gaveUp()
    } catch (error) {
      if (this.#isOver || signal.aborted) this.#gaveUp()
      else this.#refuse(error)
    }
  }

  #open(admitted: Admitted): void {
    const { ctx, connections, request, socketId, peer } = this.#init
    const { action, member, keys } = admitted
    const client = sessionClient(peer)
    const log = ctx.log.child({ session: member.id, stream: member.streamPath })
    this.#log = log
    this.#admitted = admitted
    const keyResponse = keys?.sending.message
    const { datagram, negotiated } = request.accept({ socketId, ...(keyResponse && { keyResponse }) })
    this.#startUs = negotiated.startUs
    const { maxbw } = ctx.config
    const connection = new Connection({
      negotiated,
      nowUs,
      sink: this.#flow,
      ...(keys && { keys }),
      ...(maxbw > 0 && { maxBytesPerSecond: maxbw }),
      ...(action === 'publish' && {
        received: (payload: Buffer, missing: number) => this.#ingest?.receive(payload, missing),
        alive: () => this.#ingest && noteSign(member, this.#ingest),
      }),
      closed: (end) => this.#connectionEnded(end),
    })
    this.#connection = connection
    const { receiveLatencyMs, sendLatencyMs } = negotiated
    const encrypted = keys !== undefined
    const latencyMs = action === 'publish' ? receiveLatencyMs : sendLatencyMs
    log.info({ ip: client.ip, port: client.port, encrypted, latencyMs }, action)
    const shown = { direction: action, mode: 'listener', encrypted, member, client, negotiated, connection } as const
    if (action === 'publish') {
      const broken = (why: string) => member.close({ code: 'closed', text: why })
      const ingest = new TsIngest({ sink: member, log, broken })
      this.#ingest = ingest
      connections.follow({ ...shown, details: () => ({ droppedUnits: ingest.droppedUnits }) })
    } else connections.follow(shown)
    this.#give(datagram)
    this.#settle()
    member.onClose((reason) => this.#memberEnded(reason))
    if (action === 'play') sendStream(member, connection, log)
  }

  /** The caller has left before it had an answer: in most cases a player of a stream without a publisher. */
  #gaveUp(): void {
    if (this.#isOver) return
    this.#tell('given up', CLIENT_LEFT.text)
    this.#end()
  }

  #refuse(error: unknown): void {
    const { ctx, connections, request, peer } = this.#init
    const reason = rejectReasonOf(error)
    if (reason === undefined) ctx.log.error({ err: error, ...sessionClient(peer) }, 'the request failed')
    // A denial is logged where it was decided.
    else if (!(error instanceof StreamDenied)) {
      const advice = error instanceof Refusal ? error.advice : undefined
      this.#tell('refused', error instanceof Error ? error.message : describeReason(reason), { advice })
    }
    const told = reason ?? REJECT_REASON.internalServerError
    connections.refusals.count(told)
    this.#give(request.reject(told))
  }

  #tell(what: string, reason: string, more: Readonly<Record<string, unknown>> = {}): void {
    const { connections, peer } = this.#init
    const stream = this.#asked?.streamPath
    connections.refusals.tell(peer, `${this.#asked?.action ?? 'connection'} ${what}`, reason, { stream, ...more })
  }

  #give(answer: Buffer): void {
    this.#answer = answer
    this.#heardMs = performance.now()
    this.#flow.send([answer])
  }

  #answerAgain(): void {
    if (this.#answer === undefined) return
    // A copy: a datagram that was sent belongs to the socket.
    const answer = Buffer.from(this.#answer)
    stampAgain(answer, nowUs() - this.#startUs)
    this.#flow.send([answer])
  }

  #connectionEnded(end: ConnectionEnd): void {
    if (end.by === 'peer') this.#ingest?.end()
    this.#hasEnded = true
    this.#heardMs = performance.now()
    this.#admitted?.member.close(closeReasonOf(end))
  }

  #memberEnded(reason: CloseReason): void {
    this.#log.info({ reason: reason.text }, `${this.#admitted?.action} ended`)
    this.#ingest = undefined
    // A player has yet to play the last data of a stream that has ended.
    if (this.#admitted?.action === 'play' && isOrderly(reason)) this.#connection?.end()
    else this.#connection?.close()
  }

  /** An error of this server ends this session alone. */
  #failed(error: unknown): void {
    this.#log.error({ err: error }, 'the connection has failed')
    this.close({ code: 'failed', text: 'the connection has failed' })
  }

  #settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#init.settled()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#settle()
    this.#cancelTick()
    this.#flow.close()
    this.#init.over()
  }
}

/** The handshake of a datagram without its extensions. */
function handshakeOf(datagram: Buffer): Buffer {
  return datagram.subarray(HEADER_BYTES, HEADER_BYTES + HANDSHAKE_BYTES)
}

function closeReasonOf(end: ConnectionEnd): CloseReason {
  switch (end.by) {
    case 'peer':
      return CLIENT_LEFT
    case 'silence':
      return { code: 'left', text: 'nothing comes from the client any more' }
    case 'here':
      return { code: 'closed', text: 'closed' }
  }
}
