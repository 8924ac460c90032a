import { randomInt } from 'node:crypto'
import { untilAborted, type UdpFlow } from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import { closeKeys } from '../admission.ts'
import { nowUs } from '../now.ts'
import { describeReason } from '../reject.ts'
import { localTerms } from '../terms.ts'
import type { Ticker } from '../ticker.ts'
import { acceptKeys, type ConnectionKeys } from '../wire/crypto/connection-keys.ts'
import { CallerHandshake } from '../wire/handshake/caller-handshake.ts'
import type { ClientHandshake } from '../wire/handshake/client-handshake.ts'
import type { Negotiated } from '../wire/handshake/negotiation.ts'
import { RendezvousHandshake } from '../wire/handshake/rendezvous-handshake.ts'
import type { SrtTarget } from './target-url.ts'

/** The longest wait for the first datagram of a peer; one that is there answers at once. */
const REACH_TIMEOUT_MS = 3000
/** The longest that a server may wait for a publisher of the stream. */
const ANSWER_TIMEOUT_MS = 15_000
const SOCKET_ID_END = 2 ** 30
const SEQUENCE_END = 2 ** 31
const COOKIE_END = 2 ** 32

type OpeningInit = {
  readonly target: SrtTarget
  /** The latency of addresses that name none. */
  readonly defaultLatencyMs: number
  /** The keys that are offered to the peer; undefined without a passphrase. */
  readonly offered: ConnectionKeys | undefined
  readonly ticker: Ticker
}

/** The result of a handshake. */
export type Opened = { readonly negotiated: Negotiated; readonly keys: ConnectionKeys | undefined }

/** No peer has answered at an address. */
export class Unreachable extends SourceError {
  override readonly name = 'SourceError'
}

/** The handshake with one address of a target. */
export class Opening {
  readonly socketId = randomInt(1, SOCKET_ID_END)
  readonly #init: OpeningInit
  readonly #flow: UdpFlow
  readonly #handshake: ClientHandshake
  readonly #done = Promise.withResolvers<Opened>()
  /** The keys that the peer has offered, with its message; undefined when this end offers the keys. */
  #taken: { readonly message: Buffer; readonly keys: ConnectionKeys } | undefined
  #wasHeard = false
  #isGivenUp = false

  constructor(init: OpeningInit, flow: UdpFlow) {
    this.#init = init
    this.#flow = flow
    // The promise may reject before anything waits for it.
    this.#done.promise.catch(() => {})
    const { target, defaultLatencyMs, offered } = init
    const common = {
      socketId: this.socketId,
      sequence: randomInt(SEQUENCE_END),
      streamId: target.streamId,
      ...(offered && { keyRequest: offered.sending.message }),
      terms: localTerms(target.latencyMs ?? defaultLatencyMs),
      send: (datagram: Buffer) => this.#flow.send([datagram]),
      connected: (negotiated: Negotiated, message: Buffer | undefined) => this.#connected(negotiated, message),
      refused: (reason: number) => this.#done.reject(new SourceError(`the server refused: ${describeReason(reason)}`)),
    }
    this.#handshake =
      target.mode === 'caller'
        ? new CallerHandshake(common)
        : new RendezvousHandshake({
            ...common,
            cookie: randomInt(1, COOKIE_END),
            ...(offered && { takeKeys: (message) => this.#takeKeys(message) }),
          })
  }

  /** Takes a datagram of the peer: every one until it has agreed, and then handshakes only, as answers may be lost. */
  receive(datagram: Buffer): void {
    this.#wasHeard = true
    this.#handshake.receive(datagram, nowUs())
  }

  /**
   * Resolves when the peer has agreed.
   * @throws {Unreachable} when nothing comes; {@link SourceError} when the peer refuses or does not answer; any error when the signal
   * aborts
   */
  async run(signal: AbortSignal): Promise<Opened> {
    const startMs = performance.now()
    const stop = this.#init.ticker.add(
      () => this.#tick(performance.now() - startMs),
      (error) => this.#done.reject(error),
    )
    try {
      this.#handshake.start(nowUs())
      return await Promise.race([this.#done.promise, untilAborted(signal)])
    } catch (error) {
      this.#isGivenUp = true
      closeKeys(this.#taken?.keys)
      throw error
    } finally {
      stop()
    }
  }

  #tick(elapsedMs: number): boolean {
    this.#handshake.tick(nowUs())
    const { host, port, mode } = this.#init.target
    if (mode === 'caller' && !this.#wasHeard && elapsedMs > REACH_TIMEOUT_MS) {
      this.#done.reject(new Unreachable(`nobody answers at ${host}:${port} by SRT (UDP)`))
    } else if (elapsedMs > ANSWER_TIMEOUT_MS) {
      this.#done.reject(new SourceError(`${host}:${port} has not agreed within ${ANSWER_TIMEOUT_MS / 1000} s`))
    }
    return false
  }

  #connected(negotiated: Negotiated, message: Buffer | undefined): void {
    const { offered } = this.#init
    const taken = this.#taken
    // A peer that has restarted meanwhile may have other keys, or leave it to this end to offer them.
    const areTaken = taken !== undefined && message?.equals(taken.message) === true
    if (!areTaken) {
      closeKeys(taken?.keys)
      if (message !== undefined) offered?.sending.confirm(message)
    }
    this.#done.resolve({ negotiated, keys: areTaken ? taken.keys : offered })
  }

  async #takeKeys(message: Buffer): Promise<Buffer | undefined> {
    const keys = await acceptKeys(message, this.#init.target.passphrase)
    if (keys === undefined) return undefined
    if (this.#isGivenUp) closeKeys(keys)
    else {
      closeKeys(this.#taken?.keys)
      this.#taken = { message, keys }
    }
    return message
  }
}
