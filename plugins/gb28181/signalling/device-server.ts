import { tryParse } from 'sluice/sdk/media'
import { parseManscdp, type ManscdpMessage } from '../manscdp/message.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { parseSipAddress } from '../sip/address.ts'
import type { SipFlow } from '../sip/flow.ts'
import type { SipRequest } from '../sip/message.ts'
import type { ResponseInit } from '../sip/requests.ts'
import type { ServerTransaction } from '../sip/server-transaction.ts'
import { endsOf, flowName } from '../transport/switchboard.ts'
import type { RequestHandlers } from './sip-agent.ts'
import type { Registrar } from './registrar.ts'
import type { SenderCheck } from './sender-check.ts'

/** The methods of requests that are answered. */
const ALLOW = 'REGISTER, INVITE, ACK, CANCEL, BYE, INFO, MESSAGE, SUBSCRIBE, NOTIFY, OPTIONS'
const METHODS = new Set(ALLOW.split(', '))

/** Takes a notice of a device, by its command. */
export type NoticeHandler = (device: Device, notice: ManscdpMessage) => void

type DeviceServerInit = {
  readonly ctx: Pick<GbContext, 'log'>
  readonly registry: Registry
  readonly registrar: Registrar
  readonly senders: SenderCheck
  /** Takes notices of devices by their commands, as `Alarm`. */
  readonly notices: Readonly<Record<string, NoticeHandler>>
  /** Takes the answer to a query. */
  readonly onAnswer: (device: Device, answer: ManscdpMessage, body: Buffer) => void
  /** Takes a NOTIFY of a subscription; returns false when there is none of that kind. */
  readonly onNotify: (device: Device, request: SipRequest) => boolean
  /** A device that was offline is back, without having registered anew. */
  readonly onBack: (device: Device) => void
}

/** Answers what devices ask, and tell, outside of calls. */
export class DeviceServer implements RequestHandlers {
  readonly #init: DeviceServerInit
  /** The times of the last keepalives, by device. */
  readonly #keptAliveMs = new Map<string, number>()

  constructor(init: DeviceServerInit) {
    this.#init = init
  }

  screen(request: SipRequest, flow: SipFlow): ResponseInit | undefined {
    const { registrar, senders } = this.#init
    const { method } = request
    if (method === 'OPTIONS') return { status: 200, headers: [['Allow', ALLOW]] }
    if (!METHODS.has(method)) return { status: 501, headers: [['Allow', ALLOW]] }
    if (method === 'REGISTER') return registrar.screen(request, flow)
    const sender = senders.senderOf(request, flow)
    return 'refusal' in sender ? sender.refusal : undefined
  }

  request(transaction: ServerTransaction): void {
    const { request } = transaction
    switch (request.method) {
      case 'REGISTER':
        return this.#init.registrar.register(transaction)
      case 'MESSAGE':
        return this.#message(transaction)
      case 'NOTIFY':
        return this.#notify(transaction)
      case 'BYE':
      case 'INFO':
        // Their call is over.
        return transaction.respond({ status: 481 })
      default:
        return transaction.respond({ status: 405, headers: [['Allow', ALLOW]] })
    }
  }

  #message(transaction: ServerTransaction): void {
    const device = this.#deviceOf(transaction.request)
    if (device === undefined) return transaction.respond({ status: 403 })
    const { body } = transaction.request
    const message = tryParse((bytes) => parseManscdp(bytes, device.charset || undefined), body)
    if (message === undefined) return transaction.respond({ status: 400 })
    this.#heard(device, transaction.flow, message.cmdType === 'Keepalive')
    // The answer to a MESSAGE has no body (GB/T 28181-2022 9.5).
    transaction.respond({ status: 200 })
    if (message.kind === 'Response') return this.#init.onAnswer(device, message, body)
    const handler = message.kind === 'Notify' ? this.#init.notices[message.cmdType] : undefined
    if (handler === undefined)
      this.#init.ctx.log.debug(
        { device: device.id, kind: message.kind, command: message.cmdType },
        'a message of a device is not for this platform',
      )
    else handler(device, message)
  }

  #notify(transaction: ServerTransaction): void {
    const device = this.#deviceOf(transaction.request)
    const isTaken = device !== undefined && this.#init.onNotify(device, transaction.request)
    transaction.respond({ status: isTaken ? 200 : 481 })
  }

  /** Notes a sign of life. A keepalive tells the way to the device, too, where that has changed. */
  #heard(device: Device, flow: SipFlow, isKeepalive: boolean): void {
    const { registry, ctx, onBack } = this.#init
    const nowMs = Date.now()
    registry.heard(device, nowMs)
    if (!isKeepalive) return
    this.#measure(device, nowMs)
    const ends = endsOf(flow)
    const hasMoved = device.ends === undefined || flowName(device.ends) !== flowName(ends)
    const wasOnline = device.isOnline
    if (wasOnline && !hasMoved) return
    ctx.log.info(
      { device: device.id, from: ends.remote },
      wasOnline ? 'a device has another address now' : 'a device is back',
    )
    registry.changeDevice(device, { ends, isOnline: true })
    if (!wasOnline) onBack(device)
  }

  /** Learns the time between the keepalives of a device: the shortest one, as some may be lost. */
  #measure(device: Device, nowMs: number): void {
    const intervalMs = nowMs - (this.#keptAliveMs.get(device.id) ?? nowMs)
    this.#keptAliveMs.set(device.id, nowMs)
    if (intervalMs > 0 && (device.keepaliveMs === 0 || intervalMs < device.keepaliveMs)) device.keepaliveMs = intervalMs
  }

  #deviceOf({ headers }: SipRequest): Device | undefined {
    return this.#init.registry.device(tryParse(parseSipAddress, headers.get('From'))?.uri.user ?? '')
  }
}
