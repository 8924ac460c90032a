import { randomBytes } from 'node:crypto'
import { serializeStun, type StunMessage } from './stun-message.ts'
import type { IceTransport } from './ice-candidate.ts'

/** A path from one local address to one address of the peer. */
export interface IcePath {
  readonly transport: IceTransport
  readonly localAddress: string
  readonly localPort: number
  /** The priority of the candidate with this end's address (RFC 8445 5.1.2). */
  readonly localPriority: number
  readonly remoteAddress: string
  readonly remotePort: number
  /** The time of the peer's last authentic packet, by the session's clock; -Infinity before. */
  lastHeardMs: number
  /** Sends datagrams; the caller does not change their bytes afterwards. */
  send(datagrams: readonly Buffer[]): void
}

/** The credentials of a pair's checks. */
export type PairCredentials = { readonly username: string; readonly remotePassword: string }

/**
 * The states of a pair (RFC 8445 6.1.2.6); the check of a `triggered` one is due before others. None is frozen: there is one stream with
 * one component.
 */
export type PairState = 'waiting' | 'triggered' | 'in-progress' | 'succeeded' | 'failed'

type Transaction = {
  readonly id: Buffer
  readonly bytes: Buffer
  readonly controlling: boolean
  readonly isNomination: boolean
  readonly sentMs: number
}

/**
 * The first wait for an answer (RFC 8445 14.3), which is doubled each time, and the number of transmissions of a check (RFC 8489 6.2.1).
 */
const RETRANSMISSION_MS = 500
const MAX_RETRANSMISSION_MS = 4000
const MAX_TRANSMISSIONS = 7
/** The wait for an answer over TCP, where a check is sent once. */
const TCP_ANSWER_MS = 8000
const TRANSACTION_ID_BYTES = 12
/** The most checks that wait for an answer: the newest, and those under way before it. */
const MAX_TRANSACTIONS = 4

/** A pair of addresses, and the results of the checks between them. */
export class CheckedPair {
  readonly path: IcePath
  readonly remotePriority: number
  credentials: PairCredentials | undefined
  state: PairState = 'waiting'
  isNominated = false
  /** The number of checks that came from the peer. */
  requests = 0
  rttMs: number | undefined
  #transactions: Transaction[] = []
  #transmissions = 0
  #nextMs = 0
  #failure = 'no answer'

  constructor(path: IcePath, remotePriority: number, credentials: PairCredentials | undefined) {
    this.path = path
    this.remotePriority = remotePriority
    this.credentials = credentials
  }

  /** True while a nomination waits for its answer. */
  get isNominating(): boolean {
    return this.state === 'in-progress' && this.#transactions.some(({ isNomination }) => isNomination)
  }

  /** The text for people: the two ends, and the results of the checks. */
  get description(): string {
    const { transport, localAddress, localPort, remoteAddress, remotePort } = this.path
    const ends = `${transport} ${endText(localAddress, localPort)} → ${endText(remoteAddress, remotePort)}`
    const came = this.requests === 0 ? '' : `, ${this.requests} checks came from there`
    return `${ends}: ${this.#outcome()}${came}`
  }

  /** Sends a check. */
  check(content: Pick<StunMessage, 'role' | 'priority' | 'useCandidate'>, nowMs: number): void {
    if (this.credentials === undefined) return
    const id = randomBytes(TRANSACTION_ID_BYTES)
    const { username, remotePassword } = this.credentials
    const bytes = serializeStun({ class: 'request', transactionId: id, username, ...content }, remotePassword)
    const isNomination = content.useCandidate === true && !this.isNominated
    this.#transactions.push({ id, bytes, isNomination, controlling: content.role?.controlling === true, sentMs: nowMs })
    if (this.#transactions.length > MAX_TRANSACTIONS) this.#transactions.shift()
    // A check for consent is not repeated, and does not change the state of a pair in use.
    if (this.state !== 'succeeded' || isNomination) this.state = 'in-progress'
    this.#transmissions = 0
    this.#transmit(bytes, nowMs)
  }

  /** Sends the check again when its answer is late, and gives up in the end. */
  repeat(nowMs: number): void {
    if (nowMs < this.#nextMs) return
    const last = this.#transactions.at(-1)
    if (last === undefined || this.#transmissions >= (this.path.transport === 'tcp' ? 1 : MAX_TRANSMISSIONS))
      this.fail('no answer')
    else this.#transmit(last.bytes, nowMs)
  }

  /** Makes a check due at once, as the peer's own came by this path (RFC 8445 7.3.1.4), unless a recent one is under way. */
  trigger(nowMs: number): void {
    if (this.state === 'in-progress' && this.#transmissions <= 1 && nowMs < this.#nextMs) return
    this.state = 'triggered'
  }

  /** Abandons the check under way and makes another one due. */
  retry(): void {
    this.#transactions = []
    this.state = 'triggered'
  }

  awaits(transactionId: Buffer, path: IcePath): boolean {
    return path === this.path && this.#transactions.some(({ id }) => id.equals(transactionId))
  }

  /** True when this end was controlling when it sent a check. */
  roleOf(transactionId: Buffer): boolean {
    return this.#transactions.some(({ id, controlling }) => controlling && id.equals(transactionId))
  }

  /** The check was answered. @returns true when it nominated the pair */
  succeed(transactionId: Buffer, nowMs: number): boolean {
    const answered = this.#transactions.find(({ id }) => id.equals(transactionId))
    this.#transactions = this.#transactions.filter((one) => one !== answered && one.isNomination)
    if (this.#transactions.length === 0) this.state = 'succeeded'
    // An answer to a check that was repeated may be to any of its transmissions.
    if (answered !== undefined && this.#transmissions <= 1) this.rttMs = nowMs - answered.sentMs
    return answered?.isNomination === true
  }

  fail(why: string): void {
    this.state = 'failed'
    this.#failure = why
    this.#transactions = []
  }

  #transmit(bytes: Buffer, nowMs: number): void {
    const waitMs = Math.min(RETRANSMISSION_MS * 2 ** this.#transmissions, MAX_RETRANSMISSION_MS)
    this.#nextMs = nowMs + (this.path.transport === 'tcp' ? TCP_ANSWER_MS : waitMs)
    this.#transmissions += 1
    this.path.send([bytes])
  }

  #outcome(): string {
    if (this.state === 'failed') return this.#failure
    if (this.state === 'succeeded') return this.isNominated ? 'answered, nominated' : 'answered, not nominated'
    return this.state === 'in-progress' ? `no answer to ${this.#transmissions} checks yet` : 'not checked yet'
  }
}

/** The text of an address and port. */
export function endText(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
