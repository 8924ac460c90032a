import { LogLimit, type Counter, type MetricFamily } from 'sluice/sdk'
import { tryParse } from 'sluice/sdk/media'
import { serializeGbDate, type GbClock } from '../manscdp/times.ts'
import type { GbContext } from '../plugin-context.ts'
import { GB_ID, newDevice, type Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { parseSipAddress, splitValues } from '../sip/address.ts'
import type { SipFlow } from '../sip/flow.ts'
import type { SipRequest } from '../sip/message.ts'
import type { ResponseInit } from '../sip/requests.ts'
import type { ServerTransaction } from '../sip/server-transaction.ts'
import { endsOf, flowName } from '../transport/switchboard.ts'
import { parseGbVersion, type GbVersion } from '../version.ts'
import { challenge, checkCredentials, type KeptCredentials } from './credentials.ts'

/** The lifetime of a registration that names none, in seconds (GB/T 28181-2022 9.1.2.3). */
const DEFAULT_EXPIRES = 86_400
/** The shortest lifetime that is granted, in seconds, and the longest. */
const MIN_EXPIRES = 60
const MAX_EXPIRES = 7 * 86_400
const FULL_ID = /^\d{20}$/u
/** The least time between two lines about refused devices. */
const LOG_INTERVAL_MS = 10_000

type RegistrarInit = {
  readonly ctx: Pick<GbContext, 'config' | 'log'>
  readonly registry: Registry
  readonly kept: KeptCredentials
  readonly clock: GbClock
  /** A device has registered: for the first time, after it was offline, or over another way than before. */
  readonly onArrival: (device: Device) => void
}

/** Registers devices (RFC 3261 10, GB/T 28181-2022 9.1): each time by their password, also when they renew. */
export class Registrar {
  readonly #init: RegistrarInit
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  #counter: MetricFamily<Counter, 'result'> | undefined

  constructor(init: RegistrarInit) {
    this.#init = init
  }

  /** Counts registrations by their results from now on: `granted`, `left`, `challenged` or `refused`. */
  countBy(counter: MetricFamily<Counter, 'result'>): void {
    this.#counter = counter
  }

  /** Returns the answer to a registration that is not granted. */
  screen(request: SipRequest, flow: SipFlow): ResponseInit | undefined {
    const { config } = this.#init.ctx
    const id = deviceIdOf(request)
    const version = versionOf(request)
    if (id === undefined) return this.#refuse({ status: 400, reason: 'Bad Device ID' }, '', flow, 'its id is none')
    const known = this.#init.registry.device(id)
    const password = known?.password || config.password
    // Strangers try any name at this port of any server.
    if (password === '' && known === undefined && !FULL_ID.test(id)) {
      return this.#refuse({ status: 403 }, id, flow, 'its id has not 20 digits, and there is no password')
    }
    if (password !== '') {
      const check = { realm: config.realm, password, version }
      const result = checkCredentials(request, check, this.#init.kept)
      if (result === 'denied') return this.#refuse({ status: 403 }, id, flow, 'its password is wrong')
      if (result !== 'granted') this.#count('challenged')
      if (result !== 'granted')
        return withVersion(challenge(config.realm, version, result === 'stale', this.#init.kept), version)
    }
    const expires = expiresOf(request)
    if (expires > 0 && expires < MIN_EXPIRES) {
      return withVersion({ status: 423, headers: [['Min-Expires', String(MIN_EXPIRES)]] }, version)
    }
    return undefined
  }

  /** Registers a device that was let through. */
  register(transaction: ServerTransaction): void {
    const { request, flow } = transaction
    const id = deviceIdOf(request) ?? ''
    const { registry } = this.#init
    const asked = expiresOf(request)
    // Who leaves and was never there is not kept.
    const device = asked === 0 ? (registry.device(id) ?? newDevice(id, Date.now())) : registry.deviceOrNew(id)
    if (device === undefined) return transaction.respond(this.#refuse({ status: 503 }, id, flow, 'there are too many'))
    const expires = Math.min(asked, MAX_EXPIRES)
    const version = versionOf(request)
    const isNew = expires > 0 && this.#note(device, flow, version, expires)
    if (expires === 0) this.#leave(device)
    this.#count(expires === 0 ? 'left' : 'granted')
    const contact = request.headers.get('Contact')
    transaction.respond(
      withVersion(
        {
          status: 200,
          headers: [
            ...(contact === undefined ? [] : [['Contact', contactWith(contact, expires)] as [string, string]]),
            ['Expires', String(expires)],
            ...(device.sendsDate ? [['Date', serializeGbDate(Date.now(), this.#init.clock)] as [string, string]] : []),
          ],
        },
        version,
      ),
    )
    if (isNew) this.#init.onArrival(device)
  }

  /** Notes the registration; returns true when the device was offline, or has come over another way. */
  #note(device: Device, flow: SipFlow, version: GbVersion | '', expires: number): boolean {
    const nowMs = Date.now()
    const ends = endsOf(flow)
    const isSameWay = device.ends !== undefined && flowName(device.ends) === flowName(ends)
    const wasOnline = device.isOnline
    this.#init.registry.changeDevice(device, {
      isOnline: true,
      ends,
      version,
      registeredMs: nowMs,
      keptAliveMs: nowMs,
      expiresMs: nowMs + expires * 1000,
    })
    const isNew = !wasOnline || !isSameWay
    if (isNew)
      this.#init.ctx.log.info(
        { device: device.id, from: ends.remote, transport: ends.transport, version },
        'a device has registered',
      )
    return isNew
  }

  #leave(device: Device): void {
    if (!device.isOnline) return
    this.#init.registry.changeDevice(device, { isOnline: false, expiresMs: Date.now() })
    this.#init.ctx.log.info({ device: device.id }, 'a device has left')
  }

  #count(result: 'granted' | 'left' | 'challenged' | 'refused'): void {
    this.#counter?.with({ result }).add()
  }

  #refuse(answer: ResponseInit, device: string, { remote }: SipFlow, fault: string): ResponseInit {
    this.#count('refused')
    const withheld = this.#limit.pass()
    if (withheld !== undefined)
      this.#init.ctx.log.warn({ device, from: remote, withheld }, `a device is refused: ${fault}`)
    return answer
  }
}

/** `X-GB-ver` of a request (GB/T 28181-2022 annex I); empty without one. */
function versionOf({ headers }: SipRequest): GbVersion | '' {
  return parseGbVersion(headers.get('X-GB-Ver')) ?? ''
}

function withVersion(answer: ResponseInit, version: string): ResponseInit {
  if (version === '') return answer
  return { ...answer, headers: [...(answer.headers ?? []), ['X-GB-Ver', version]] }
}

/** The device that registers: the user of To, which is that of From (RFC 3261 10.2). */
function deviceIdOf({ headers }: SipRequest): string | undefined {
  const user = tryParse(parseSipAddress, headers.get('To'))?.uri.user
  return user !== undefined && GB_ID.test(user) ? user : undefined
}

/** The lifetime that is asked for, in seconds: of the Contact, else of the request. */
function expiresOf({ headers }: SipRequest): number {
  const [contact] = splitValues(headers.get('Contact') ?? '')
  const ofContact =
    contact === undefined || contact === '*' ? undefined : tryParse(parseSipAddress, contact)?.parameters.get('expires')
  const text = ofContact ?? headers.get('Expires') ?? ''
  return /^\d{1,10}$/u.test(text) ? Number(text) : DEFAULT_EXPIRES
}

function contactWith(contact: string, expires: number): string {
  return /;\s*expires=/iu.test(contact) || contact === '*'
    ? contact.replace(/(;\s*expires=)\d+/iu, `$1${expires}`)
    : `${contact};expires=${expires}`
}
