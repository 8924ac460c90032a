import { randomBytes } from 'node:crypto'
import { element, elementsOf } from './manscdp/xml.ts'
import { bodyOf } from './manscdp/body.ts'
import type { Signalling } from './signalling.ts'
import { parameterOf } from './sip/address.ts'
import { digestAuthorization, parseDigestChallenge, type DigestChallenge } from './sip/digest.ts'
import { headerOf, type SipHeaders, type SipResponse } from './sip/message.ts'

const DEFAULT_EXPIRES = 3600
const DEFAULT_KEEPALIVE_SECONDS = 60
const DEFAULT_RETRY_MS = 60_000
/** So many keepalives without a response, and the server is taken for lost (GB/T 28181-2022 9.6). */
const MAX_MISSES = 3
/** A challenge, another one as the nonce was too old, and a longer expiry. */
const MAX_TRIES = 4

/** The server has refused a registration, or the device can't answer its challenge. */
class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused'
  /** The status of the response. */
  readonly status: number

  constructor(status: number, reason: string) {
    super(`the registration was refused: ${status} ${reason}`)
    this.status = status
  }
}

/** The registration of a device (GB/T 28181-2022 9.1 and 9.6): kept up to date, and looked after by keepalives. */
export class Registration {
  readonly #signalling: Signalling
  readonly #callId = randomBytes(10).toString('hex')
  readonly #tag = randomBytes(5).toString('hex')
  #number = 0
  #challenge: { readonly challenge: DigestChallenge; count: number } | undefined
  #isOn = false
  #isRegistered = false
  #misses = 0
  #stopRefresh = () => {}
  #stopKeepalive = () => {}

  constructor(signalling: Signalling) {
    this.#signalling = signalling
  }

  /** True while the server has accepted it, as far as the device knows. */
  get isRegistered(): boolean {
    return this.#isRegistered
  }

  /**
   * Registers, and stays registered from then on.
   * @throws {RegistrationRefused} when the server refuses
   * @throws {NoResponse} when it says nothing
   */
  async start(): Promise<void> {
    this.#isOn = true
    await this.#register()
  }

  /** Registers again now, as after a new connection. What fails is tried again later. */
  again(): void {
    if (!this.#isOn || this.#signalling.quirks.has('never-registers-again')) return
    this.#stopTimers()
    this.#isRegistered = false
    void this.#register().catch(() => this.#later())
  }

  /** Forgets the server without a word. */
  drop(): void {
    this.#isOn = false
    this.#isRegistered = false
    this.#stopTimers()
  }

  /** Unregisters; says nothing when the server does not answer. */
  async stop(): Promise<void> {
    const wasRegistered = this.#isRegistered
    this.drop()
    if (!wasRegistered) return
    const response = await this.#exchange(0).catch(() => undefined)
    if (response !== undefined) this.#signalling.emit({ kind: 'unregistered' })
  }

  #stopTimers(): void {
    this.#stopRefresh()
    this.#stopKeepalive()
  }

  #later(): void {
    if (!this.#isOn) return
    const { timers, options } = this.#signalling
    this.#stopRefresh = timers.after(options.retryMs ?? DEFAULT_RETRY_MS, () => this.again())
  }

  async #register(): Promise<void> {
    const { emit, options, timers } = this.#signalling
    this.#signalling.renewContact()
    const response = await this.#exchange(options.expires ?? DEFAULT_EXPIRES).catch((error: unknown) => {
      emit({ kind: 'refused', status: undefined })
      throw error
    })
    if (!this.#isOn) return
    if (response.status !== 200) {
      emit({ kind: 'refused', status: response.status })
      throw new RegistrationRefused(response.status, response.reason)
    }
    const expires = grantedExpires(response) ?? options.expires ?? DEFAULT_EXPIRES
    this.#isRegistered = true
    this.#misses = 0
    this.#stopTimers()
    this.#stopRefresh = timers.after((expires * 1000) / 2, () => this.#refresh())
    this.#waitForKeepalive()
    emit({ kind: 'registered', expires, serverVersion: headerOf(response, 'X-GB-ver') })
  }

  #refresh(): void {
    void this.#register().catch(() => {
      this.#isRegistered = false
      if (!this.#signalling.quirks.has('never-registers-again')) this.#later()
    })
  }

  /** Sends `REGISTER`, with an answer to the challenge of the server, and returns the last response. */
  async #exchange(expires: number): Promise<SipResponse> {
    let seconds = expires
    for (let tries = 1; ; tries++) {
      const answered = this.#challenge
      const response = await this.#send(seconds)
      const isChallenge = response.status === 401 || response.status === 407
      if (tries === MAX_TRIES || (!isChallenge && response.status !== 423)) return response
      if (response.status === 423) seconds = Number(headerOf(response, 'Min-Expires') ?? seconds)
      else if (!this.#takeChallenge(response, answered !== undefined && tries > 1)) return response
    }
  }

  /** Returns false when the answer would be the same that was refused. */
  #takeChallenge(response: SipResponse, wasAnswered: boolean): boolean {
    const value = headerOf(response, 'WWW-Authenticate') ?? headerOf(response, 'Proxy-Authenticate') ?? ''
    const challenge = parseDigestChallenge(value)
    if (wasAnswered && !challenge.stale) return false
    this.#challenge = { challenge, count: 0 }
    return true
  }

  #send(expires: number): Promise<SipResponse> {
    const { endpoint, serverUri, uri, contact, options } = this.#signalling
    this.#number += 1
    const headers: SipHeaders = [
      ['From', `<${uri}>;tag=${this.#tag}`],
      ['To', `<${uri}>`],
      ['Call-ID', this.#callId],
      ['CSeq', `${this.#number} REGISTER`],
      ['Contact', contact],
      ['Expires', String(expires)],
      ...(options.version === undefined ? [] : [['X-GB-ver', options.version] as const]),
      ['User-Agent', options.manufacturer ?? 'Sluice gb-device'],
      ...this.#authorization(serverUri),
    ]
    return endpoint.request({ method: 'REGISTER', uri: serverUri, headers })
  }

  #authorization(uri: string): SipHeaders {
    if (this.#challenge === undefined) return []
    const { id, options } = this.#signalling
    const count = (this.#challenge.count += 1)
    const answer = { username: id, password: options.password ?? '', method: 'REGISTER', uri, count }
    return [['Authorization', digestAuthorization(this.#challenge.challenge, answer)]]
  }

  #waitForKeepalive(): void {
    const { timers, options } = this.#signalling
    const { keepaliveSeconds = DEFAULT_KEEPALIVE_SECONDS, keepaliveMs = keepaliveSeconds * 1000 } = options
    this.#stopKeepalive = timers.after(keepaliveMs, () => {
      this.#waitForKeepalive()
      void this.#keepalive()
    })
  }

  async #keepalive(): Promise<void> {
    const { id, emit } = this.#signalling
    const sn = this.#signalling.nextSn()
    const body = bodyOf('Notify', { cmdType: 'Keepalive', sn, deviceId: id }, [
      ...elementsOf({ Status: 'OK' }),
      element('Info', []),
    ])
    const status = await this.#signalling.message(body).then(
      (response) => response.status,
      () => undefined,
    )
    emit({ kind: 'keepalive', status })
    if (status === 200) {
      this.#misses = 0
      return
    }
    this.#misses += 1
    if (status !== undefined || this.#misses >= MAX_MISSES) this.again()
  }
}

/** The seconds that the server has granted: a parameter of `Contact`, or `Expires`. */
function grantedExpires(response: SipResponse): number | undefined {
  const text = parameterOf(headerOf(response, 'Contact') ?? '', 'expires') ?? headerOf(response, 'Expires')
  return text === undefined || !/^\d{1,9}$/u.test(text) || Number(text) === 0 ? undefined : Number(text)
}
