import { messageOf } from 'sluice/sdk'
import { serializeManscdp, MANSCDP_CONTENT_TYPE } from '../manscdp/message.ts'
import {
  alarmSubscription,
  catalogSubscription,
  mobilePositionSubscription,
  type GbSubscription,
} from '../manscdp/subscriptions.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { SipDialog, newCallId, type SipDialogState } from '../sip/dialog.ts'
import type { SipFlow } from '../sip/flow.ts'
import type { SipRequest, SipResponse } from '../sip/message.ts'
import type { SipContent } from '../sip/user-agent.ts'
import { charsetOf, type DeviceRequests } from '../signalling/device-requests.ts'
import type { SipAgent } from '../signalling/sip-agent.ts'

/** The lifetime of a subscription that is asked for, in seconds (GB/T 28181-2022 9.11.2). */
const EXPIRES = 600
/** The shortest lifetime that is taken from a device, in seconds. */
const MIN_EXPIRES = 30
/** The time between looks for subscriptions that are to be refreshed. */
const LOOK_MS = 5000
/** The wait after a subscription that was refused. */
const RETRY_MS = 60_000

/** The events that devices tell without being asked again. */
export type SubscriptionKind = 'Catalog' | 'Alarm' | 'MobilePosition'

const KINDS: readonly SubscriptionKind[] = ['Catalog', 'Alarm', 'MobilePosition']

type Subscription = {
  /** The dialog, as plain data; undefined before the device has agreed. */
  dialog: SipDialogState | undefined
  /** The time at which it is refreshed, or tried again, in Unix milliseconds. */
  nextMs: number
}

/** The subscriptions that all generations share, by device and kind (`device kind`). */
export type KeptSubscriptions = Map<string, Subscription>

type SubscriptionsInit = {
  readonly ctx: GbContext
  readonly agent: SipAgent
  readonly requests: DeviceRequests
  readonly registry: Registry
  readonly kept: KeptSubscriptions
  readonly nextNumber: () => number
}

/**
 * Subscribes to what devices tell (RFC 6665), as far as their settings say: refreshed before half of their time, made anew where
 * the device has forgotten them (481).
 */
export class Subscriptions {
  readonly #init: SubscriptionsInit
  readonly #busy = new Set<string>()
  /** The devices that are asked for a subscription, by Call-ID: they may tell something before they answer (RFC 6665 4.1.3). */
  readonly #asked = new Map<string, string>()

  constructor(init: SubscriptionsInit) {
    this.#init = init
    const stop = init.ctx.setInterval(() => this.#look(), LOOK_MS)
    init.ctx.onDrain(stop)
  }

  /** The kinds that a device tells of at present. */
  active(deviceId: string): SubscriptionKind[] {
    return KINDS.filter((kind) => this.#init.kept.get(keyOf(deviceId, kind))?.dialog !== undefined)
  }

  /** Begins what the settings of a device want, and ends the rest. A device that has registered anew knows none any more. */
  renew(device: Device, hasForgotten: boolean): void {
    for (const kind of KINDS) {
      const key = keyOf(device.id, kind)
      if (hasForgotten) this.#init.kept.delete(key)
      if (wants(device, kind)) this.#begin(device, kind)
      else if (this.#init.kept.has(key)) void this.#subscribe(device, kind, 0)
    }
  }

  /** Forgets the subscriptions of a device that is gone. */
  forget(deviceId: string): void {
    for (const kind of KINDS) this.#init.kept.delete(keyOf(deviceId, kind))
  }

  /** Whether a notice belongs to a subscription; one that says that it is over has it made anew. */
  owns(device: Device, { headers }: SipRequest): boolean {
    const callId = headers.get('Call-ID') ?? ''
    if (this.#asked.get(callId) === device.id) return true
    const kind = KINDS.find((each) => this.#init.kept.get(keyOf(device.id, each))?.dialog?.callId === callId)
    if (kind === undefined) return false
    if (/^\s*terminated/iu.test(headers.get('Subscription-State') ?? '')) {
      const subscription = this.#init.kept.get(keyOf(device.id, kind))
      if (subscription !== undefined) Object.assign(subscription, { dialog: undefined, nextMs: Date.now() })
    }
    return true
  }

  #look(): void {
    const nowMs = Date.now()
    for (const device of this.#init.registry.devices) {
      if (!device.isOnline) continue
      for (const kind of KINDS) {
        if (!wants(device, kind)) continue
        const subscription = this.#init.kept.get(keyOf(device.id, kind))
        if (subscription === undefined || subscription.nextMs <= nowMs) this.#begin(device, kind)
      }
    }
  }

  #begin(device: Device, kind: SubscriptionKind): void {
    const seconds = kind === 'MobilePosition' ? Math.round(this.#init.ctx.config.position.expires / 1000) : EXPIRES
    void this.#subscribe(device, kind, Math.max(seconds, MIN_EXPIRES))
  }

  /** @param expires in seconds; 0 ends it */
  async #subscribe(device: Device, kind: SubscriptionKind, expires: number): Promise<void> {
    const { ctx, kept } = this.#init
    const key = keyOf(device.id, kind)
    if (this.#busy.has(key)) return
    this.#busy.add(key)
    const former = kept.get(key)
    try {
      const { dialog, granted } = await this.#ask(device, kind, expires, former?.dialog)
      if (expires === 0) kept.delete(key)
      else kept.set(key, { dialog, nextMs: Date.now() + (granted * 1000) / 2 })
    } catch (error) {
      if (expires === 0) kept.delete(key)
      else kept.set(key, { dialog: undefined, nextMs: Date.now() + RETRY_MS })
      ctx.log.info({ device: device.id, kind, fault: messageOf(error) }, 'a device does not take a subscription')
    } finally {
      this.#busy.delete(key)
    }
  }

  async #ask(
    device: Device,
    kind: SubscriptionKind,
    expires: number,
    former: SipDialogState | undefined,
  ): Promise<Granted> {
    const { event, body } = this.#subscriptionOf(device, kind)
    const xml = serializeManscdp({ ...body, sn: this.#init.nextNumber() }, charsetOf(device))
    const content = { type: MANSCDP_CONTENT_TYPE, body: xml }
    const headers: [string, string][] = [
      ['Event', event],
      ['Expires', String(expires)],
    ]
    if (former !== undefined) {
      const refreshed = await this.#refresh(device, former, headers, content)
      if (refreshed !== undefined || expires === 0) return refreshed ?? { dialog: former, granted: 0 }
    }
    const flow = this.#init.requests.flowTo(device)
    const callId = newCallId(flow)
    this.#asked.set(callId, device.id)
    try {
      const outgoing = { method: 'SUBSCRIBE', target: device.id, callId, headers, content }
      const { request, response } = await this.#init.requests.exchange(device, outgoing)
      if (response.status >= 300) throw new Error(`${response.status} ${response.reason}`)
      return { dialog: SipDialog.ofAnswer(request, response).state, granted: expiresOf(response, expires) }
    } finally {
      this.#asked.delete(callId)
    }
  }

  /** Returns undefined where the device has forgotten the subscription. */
  async #refresh(
    device: Device,
    former: SipDialogState,
    headers: [string, string][],
    content: SipContent,
  ): Promise<Granted | undefined> {
    const { agent, requests } = this.#init
    const flow: SipFlow = requests.flowTo(device)
    const dialog = SipDialog.restore(former)
    const request = dialog.request('SUBSCRIBE', flow, { headers, content })
    const close = agent.open(former.callId)
    try {
      const response = await agent.ask(request, flow)
      if (response === undefined || response.status >= 300) return undefined
      return { dialog: dialog.state, granted: expiresOf(response, EXPIRES) }
    } finally {
      close()
    }
  }

  #subscriptionOf(device: Device, kind: SubscriptionKind): GbSubscription {
    if (kind === 'Catalog') return catalogSubscription(device.id)
    if (kind === 'Alarm') return alarmSubscription(device.id)
    return mobilePositionSubscription(device.id, Math.round(this.#init.ctx.config.position.interval / 1000))
  }
}

type Granted = { readonly dialog: SipDialogState; readonly granted: number }

function wants(device: Device, kind: SubscriptionKind): boolean {
  if (kind === 'Catalog') return device.subscribeCatalog
  return kind === 'Alarm' ? device.subscribeAlarm : device.subscribePosition
}

function keyOf(deviceId: string, kind: SubscriptionKind): string {
  return `${deviceId} ${kind}`
}

function expiresOf({ headers }: SipResponse, asked: number): number {
  const text = headers.get('Expires') ?? ''
  const told = /^\d{1,10}$/u.test(text) ? Number(text) : asked
  return Math.max(MIN_EXPIRES, Math.min(told, asked))
}
