import { MANSCDP_TYPE, bodyOf, parseBody } from './manscdp/body.ts'
import { element, textOf, type XmlElement } from './manscdp/xml.ts'
import type { Signalling } from './signalling.ts'
import { tagOf } from './sip/address.ts'
import { Dialog } from './sip/dialog.ts'
import type { IncomingRequest } from './sip/endpoint.ts'
import { headerOf } from './sip/message.ts'

/** A subscription of the platform. */
export type Subscription = {
  /** The `CmdType` of its body, such as `Catalog`. */
  readonly cmdType: string
  /** The value of `Event`. */
  readonly event: string
  readonly dialog: Dialog
  /** The time between two positions in seconds; undefined where the platform states none. */
  readonly intervalSeconds: number | undefined
  readonly endMs: number
  readonly stop: () => void
}

const DEFAULT_EXPIRES = 600

/** The subscriptions of a platform at a device (RFC 6665, GB/T 28181-2022 9.11). */
export class Subscriptions {
  readonly #signalling: Signalling
  readonly #byCallId = new Map<string, Subscription>()
  readonly #onChange: () => void

  /** @param onChange called when one has begun or ended */
  constructor(signalling: Signalling, onChange: () => void) {
    this.#signalling = signalling
    this.#onChange = onChange
  }

  get all(): readonly Subscription[] {
    return [...this.#byCallId.values()]
  }

  /** Takes a `SUBSCRIBE`: a first one, one to go on, or one to end. */
  take({ message, respond }: IncomingRequest): void {
    const { toTag, contact, timers, emit } = this.#signalling
    const body = parseBody(message)
    const callId = headerOf(message, 'Call-ID') ?? ''
    const known = this.#byCallId.get(callId)
    if (known === undefined && tagOf(message, 'To') !== '') return respond(481, { toTag })
    const event = headerOf(message, 'Event') ?? ''
    if (event === '') return respond(489, { toTag })
    const expires = Number(headerOf(message, 'Expires') ?? DEFAULT_EXPIRES)
    if (!(expires >= 0)) return respond(400, { toTag })
    const dialog = known?.dialog ?? new Dialog(message)
    respond(200, {
      toTag: toTag === undefined ? undefined : dialog.localTag,
      headers: [
        ['Expires', String(expires)],
        ['Contact', contact],
        ['Content-Type', MANSCDP_TYPE],
      ],
      body: this.#signalling.bytesOf(bodyOf('Response', body, [element('Result', 'OK')])),
    })
    known?.stop()
    const interval = textOf(body.root, 'Interval')
    const subscription: Subscription = {
      cmdType: body.cmdType,
      event,
      dialog,
      intervalSeconds: interval === undefined ? undefined : Number(interval),
      endMs: timers.now() + expires * 1000,
      stop: timers.after(expires * 1000, () => this.#end(subscription, 'timeout')),
    }
    this.#byCallId.set(callId, subscription)
    if (expires === 0) this.#end(subscription, 'deactivated')
    emit({ kind: 'subscribed', event: body.cmdType, expires })
    this.#onChange()
  }

  /** Tells all that have subscribed to something; returns the statuses of their responses, −1 where there is none. */
  notify(cmdType: string, body: XmlElement): Promise<number[]> {
    const subscriptions = this.all.filter((subscription) => subscription.cmdType === cmdType)
    return Promise.all(subscriptions.map((subscription) => this.#notify(subscription, body)))
  }

  /** Forgets all, as after a restart: what asks to go on gets 481. */
  forget(): void {
    for (const { stop } of this.all) stop()
    this.#byCallId.clear()
    this.#onChange()
  }

  async #notify(subscription: Subscription, body: XmlElement): Promise<number> {
    const { dialog, event, endMs } = subscription
    const leftSeconds = Math.max(0, Math.round((endMs - this.#signalling.timers.now()) / 1000))
    const headers: [string, string][] = [
      ['Event', event],
      ['Subscription-State', `active;expires=${leftSeconds}`],
      ['Contact', this.#signalling.contact],
      ['Content-Type', MANSCDP_TYPE],
    ]
    const status = await this.#send(dialog.request('NOTIFY', headers, this.#signalling.bytesOf(body)))
    // The platform does not know it any more.
    if (status === 481) this.#forget(subscription)
    return status
  }

  /** Ends one, and says so (RFC 6665 4.1.3). */
  #end(subscription: Subscription, reason: 'timeout' | 'deactivated'): void {
    this.#forget(subscription)
    const headers: [string, string][] = [
      ['Event', subscription.event],
      ['Subscription-State', `terminated;reason=${reason}`],
      ['Contact', this.#signalling.contact],
    ]
    void this.#send(subscription.dialog.request('NOTIFY', headers))
  }

  #forget(subscription: Subscription): void {
    subscription.stop()
    if (this.#byCallId.get(subscription.dialog.callId) === subscription) {
      this.#byCallId.delete(subscription.dialog.callId)
    }
    this.#onChange()
  }

  #send(request: Parameters<Signalling['endpoint']['request']>[0]): Promise<number> {
    return this.#signalling.endpoint.request(request).then(
      ({ status }) => status,
      () => -1,
    )
  }
}
