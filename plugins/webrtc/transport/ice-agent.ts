import type { IceCredentials } from './transport-description.ts'
import { candidatePriority, pairPriority, type RemoteCandidate } from './ice-candidate.ts'
import { hasIntegrity, parseStun, serializeStun, type StunMessage } from './stun-message.ts'
import { CheckedPair, type IcePath, type PairCredentials } from './ice-pair.ts'

/** The options of an agent; all of its effects go through them. */
export type IceAgentOptions = {
  readonly controlling: boolean
  readonly local: IceCredentials
  readonly tieBreaker: bigint
  /** Returns a random number from 0 to 1, as `Math.random`. */
  readonly random: () => number
  /** Returns the paths to a candidate of the peer, one from each local address that may reach it. */
  readonly pathsTo: (candidate: RemoteCandidate) => readonly IcePath[]
  /** Called when a pair is used from now on; it may be called again with another. */
  readonly onSelected: (path: IcePath) => void
}

/** The most pairs, however many candidates there are, as each costs checks. */
const MAX_PAIRS = 48
const MAX_REMOTE_CANDIDATES = 32
/** Consent is asked for this often, give or take a fifth, and is valid for {@link CONSENT_LIFETIME_MS} (RFC 7675 5.1). */
const CONSENT_INTERVAL_MS = 5000
const CONSENT_LIFETIME_MS = 30_000
/** The time in which a better pair may still be answered, before the first answered one is nominated. */
const NOMINATION_DELAY_MS = 300
/** A pair without packets for this long gives way to another that the peer nominates. */
const SILENCE_MS = 1000
/** The time in which a peer may come back after its connection was lost. */
const RECONNECT_MS = 5000

const ROLE_CONFLICT = 487

/** Finds a path to a peer by connectivity checks (RFC 8445), and checks the peer's consent (RFC 7675). One component, no timers. */
export class IceAgent {
  readonly #options: IceAgentOptions
  #controlling: boolean
  #local: IceCredentials
  /** The credentials before a restart, by which the peer may still send checks. */
  #formerLocal: IceCredentials | undefined
  #remote: IceCredentials | undefined
  #remoteCandidates: RemoteCandidate[] = []
  #pairs: CheckedPair[] = []
  #selected: CheckedPair | undefined
  #firstSuccessMs: number | undefined
  #nextConsentMs = 0
  #consentEndMs = Infinity

  constructor(options: IceAgentOptions) {
    this.#options = options
    this.#controlling = options.controlling
    this.#local = options.local
  }

  get local(): IceCredentials {
    return this.#local
  }

  get selected(): CheckedPair | undefined {
    return this.#selected
  }

  get pairs(): readonly CheckedPair[] {
    return this.#pairs
  }

  /** True when the pair in use is one of those that are checked now; false after a restart. */
  get isSettled(): boolean {
    return this.#selected !== undefined && this.#pairs.includes(this.#selected)
  }

  /** Begins checks. */
  start(remote: IceCredentials): void {
    this.#remote = remote
    for (const candidate of this.#remoteCandidates) this.#pair(candidate)
    // Checks of the peer may have come before.
    for (const pair of this.#pairs) pair.credentials = this.#credentials()
  }

  addCandidate(candidate: RemoteCandidate): void {
    if (this.#remoteCandidates.length >= MAX_REMOTE_CANDIDATES) return
    if (this.#remoteCandidates.some(({ address, port }) => address === candidate.address && port === candidate.port))
      return
    this.#remoteCandidates.push(candidate)
    if (this.#remote !== undefined) this.#pair(candidate)
  }

  /** Restarts the checks (RFC 8445 9). The pair in use goes on until another is selected, as the peer has just shown that it is there. */
  restart(local: IceCredentials, remote: IceCredentials, nowMs: number): void {
    this.#consentEndMs = Math.max(this.#consentEndMs, nowMs + CONSENT_LIFETIME_MS)
    this.#formerLocal = this.#local
    this.#local = local
    this.#remote = remote
    this.#remoteCandidates = []
    this.#pairs = []
    this.#firstSuccessMs = undefined
  }

  /** A path has been lost. If it is the one in use, the peer has a few seconds to come back by another. */
  lose(path: IcePath, nowMs: number): void {
    if (path === this.#selected?.path) this.#consentEndMs = Math.min(this.#consentEndMs, nowMs + RECONNECT_MS)
    else this.#pairOf(path)?.fail('the connection was closed')
  }

  /**
   * Takes a STUN message that came by a path.
   * @returns true when it was authentic; others are not answered
   */
  receive(bytes: Buffer, path: IcePath, nowMs: number): boolean {
    const message = parseStun(bytes)
    if (message === undefined) return false
    if (message.class === 'request') return this.#receiveRequest(message, bytes, path, nowMs)
    if (message.class === 'indication') return false
    return this.#receiveResponse(message, bytes, path, nowMs)
  }

  /** Sends the checks that are due. @returns false once the peer's consent has expired */
  tick(nowMs: number): boolean {
    if (this.#remote === undefined) return true
    this.#check(nowMs)
    if (this.#controlling) this.#nominate(nowMs)
    return this.#keepConsent(nowMs)
  }

  #receiveRequest(message: StunMessage, bytes: Buffer, path: IcePath, nowMs: number): boolean {
    const [localFragment = ''] = message.username?.split(':', 1) ?? []
    const local = localFragment === this.#formerLocal?.usernameFragment ? this.#formerLocal : this.#local
    if (localFragment !== local.usernameFragment || !hasIntegrity(bytes, local.password)) return false
    const { transactionId } = message
    if (!this.#settleRole(message)) {
      path.send([serializeStun({ class: 'error', transactionId, errorCode: ROLE_CONFLICT }, local.password)])
      return true
    }
    const mappedAddress = { address: path.remoteAddress, port: path.remotePort }
    path.send([serializeStun({ class: 'success', transactionId, mappedAddress }, local.password)])
    path.lastHeardMs = nowMs
    const isFormer = local !== this.#local
    const pair = isFormer ? this.#selected : (this.#pairOf(path) ?? this.#learn(path, message.priority))
    if (pair === undefined || pair.path !== path) return true
    pair.requests += 1
    if (isFormer) return true
    if (message.useCandidate === true && !this.#controlling) pair.isNominated = true
    if (pair.state === 'succeeded') this.#consider(pair, nowMs)
    else pair.trigger(nowMs)
    return true
  }

  /** Returns true when the roles differ, after this end has changed its own if it has to (RFC 8445 7.3.1.1). */
  #settleRole({ role }: StunMessage): boolean {
    if (role === undefined || role.controlling !== this.#controlling) return true
    const isOurs = this.#options.tieBreaker >= role.tieBreaker
    // The end with the larger number is to be controlling.
    if (isOurs === this.#controlling) return false
    this.#switchRole(!this.#controlling)
    return true
  }

  #receiveResponse(message: StunMessage, bytes: Buffer, path: IcePath, nowMs: number): boolean {
    const pair =
      this.#pairs.find((one) => one.awaits(message.transactionId, path)) ?? this.#selectedAwaiting(message, path)
    if (pair === undefined || !hasIntegrity(bytes, pair.credentials?.remotePassword ?? '')) return false
    path.lastHeardMs = nowMs
    if (message.class === 'error') {
      this.#receiveError(pair, message)
      return true
    }
    const wasNomination = pair.succeed(message.transactionId, nowMs)
    this.#firstSuccessMs ??= nowMs
    if (wasNomination && this.#controlling) pair.isNominated = true
    if (pair === this.#selected) this.#consentEndMs = nowMs + CONSENT_LIFETIME_MS
    else this.#consider(pair, nowMs)
    return true
  }

  #receiveError(pair: CheckedPair, { errorCode = 0, transactionId }: StunMessage): void {
    if (errorCode === ROLE_CONFLICT) {
      // The role in which the check was sent, which this end may have changed in the meantime.
      this.#switchRole(!pair.roleOf(transactionId))
      pair.retry()
    } else pair.fail(`answered ${errorCode}`)
  }

  #selectedAwaiting({ transactionId }: StunMessage, path: IcePath): CheckedPair | undefined {
    return this.#selected?.awaits(transactionId, path) === true ? this.#selected : undefined
  }

  #switchRole(controlling: boolean): void {
    this.#controlling = controlling
    for (const pair of this.#pairs) if (pair !== this.#selected) pair.isNominated = false
  }

  /** Selects a pair that was checked and nominated, when it is better than the one in use, or that one has gone silent. */
  #consider(pair: CheckedPair, nowMs: number): void {
    const current = this.#selected
    if (pair === current || !pair.isNominated) return
    const isCurrentOld = current === undefined || !this.#pairs.includes(current)
    const isSilent = current !== undefined && nowMs - current.path.lastHeardMs >= SILENCE_MS
    if (!isCurrentOld && !isSilent && this.#priority(pair) <= this.#priority(current)) return
    this.#selected = pair
    this.#consentEndMs = nowMs + CONSENT_LIFETIME_MS
    this.#nextConsentMs = nowMs + this.#consentIntervalMs()
    this.#options.onSelected(pair.path)
  }

  #pair(candidate: RemoteCandidate): void {
    for (const path of this.#options.pathsTo(candidate)) {
      if (this.#pairOf(path) === undefined) this.#add(path, candidate.priority, false)
    }
  }

  /** Creates a pair with an address that is not among the peer's candidates (RFC 8445 7.3.1.3). */
  #learn(path: IcePath, priority = candidatePriority('peerReflexive', 0)): CheckedPair | undefined {
    return this.#add(path, priority, true)
  }

  #add(path: IcePath, remotePriority: number, isKnownToWork: boolean): CheckedPair | undefined {
    const pair = new CheckedPair(path, remotePriority, this.#credentials())
    if (this.#pairs.length >= MAX_PAIRS && !this.#makeRoom(pair, isKnownToWork)) return undefined
    this.#pairs.push(pair)
    this.#pairs.sort((one, other) => Number(this.#priority(other) - this.#priority(one)))
    return pair
  }

  /**
   * Removes the worst pair that has failed, else the worst one without packets, to make room for one with checks of the peer or a better
   * one (RFC 8445 6.1.2.5). @returns false when there is none to remove
   */
  #makeRoom(pair: CheckedPair, isKnownToWork: boolean): boolean {
    const others = this.#pairs.filter((one) => one !== this.#selected)
    const failed = others.findLast(({ state }) => state === 'failed')
    const silent = others.findLast(({ requests, state }) => requests === 0 && state !== 'succeeded')
    const isBetter = silent !== undefined && this.#priority(pair) > this.#priority(silent)
    const left = failed ?? (isKnownToWork || isBetter ? silent : undefined)
    if (left !== undefined) this.#pairs.splice(this.#pairs.indexOf(left), 1)
    return left !== undefined
  }

  #pairOf(path: IcePath): CheckedPair | undefined {
    return this.#pairs.find((pair) => pair.path === path)
  }

  #priority({ path, remotePriority }: CheckedPair): bigint {
    return this.#controlling
      ? pairPriority(path.localPriority, remotePriority)
      : pairPriority(remotePriority, path.localPriority)
  }

  #credentials(): PairCredentials | undefined {
    if (this.#remote === undefined) return undefined
    return {
      username: `${this.#remote.usernameFragment}:${this.#local.usernameFragment}`,
      remotePassword: this.#remote.password,
    }
  }

  /** Sends the checks that are to be repeated, and begins one more (RFC 8445 6.1.4.2), a triggered one before others. */
  #check(nowMs: number): void {
    for (const pair of this.#pairs) if (pair.state === 'in-progress') pair.repeat(nowMs)
    const next =
      this.#pairs.find((pair) => pair.state === 'triggered') ??
      (this.isSettled ? undefined : this.#pairs.find((pair) => pair.state === 'waiting'))
    if (next !== undefined) this.#send(next, nowMs, false)
  }

  /** Nominates the best pair that was answered, when no better one can be expected (RFC 8445 8.1.1). */
  #nominate(nowMs: number): void {
    if (this.isSettled || this.#firstSuccessMs === undefined || this.#pairs.some((pair) => pair.isNominating)) return
    const best = this.#pairs.find((pair) => pair.state === 'succeeded')
    if (best === undefined) return
    const isFirst = this.#pairs[0] === best
    if (isFirst || nowMs - this.#firstSuccessMs >= NOMINATION_DELAY_MS) this.#send(best, nowMs, true)
  }

  #keepConsent(nowMs: number): boolean {
    if (this.#selected === undefined) return true
    if (nowMs >= this.#consentEndMs) return false
    if (nowMs < this.#nextConsentMs) return true
    this.#nextConsentMs = nowMs + this.#consentIntervalMs()
    // The peer may see this end at another address by now, and has to learn of the nomination.
    this.#send(this.#selected, nowMs, this.#controlling && this.isSettled)
    return true
  }

  #consentIntervalMs(): number {
    return CONSENT_INTERVAL_MS * (0.8 + 0.4 * this.#options.random())
  }

  #send(pair: CheckedPair, nowMs: number, isNomination: boolean): void {
    const role = { controlling: this.#controlling, tieBreaker: this.#options.tieBreaker }
    pair.check({ role, priority: candidatePriority('peerReflexive', 0), useCandidate: isNomination }, nowMs)
  }
}
