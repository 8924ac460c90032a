import { MalformedError } from 'sluice/sdk/media'
import { Alarms, type GbAlarm } from './alarms.ts'
import { Calls } from './calls.ts'
import { ChannelState } from './channel-state.ts'
import { channelsOf } from './channels.ts'
import type { DeviceEvent, ReceivedRequest } from './device-event.ts'
import type { GbChannel, GbDeviceOptions, GbPosition } from './device-options.ts'
import { DeviceSite } from './device-site.ts'
import { bodyOf, parseBody, type ReceivedBody } from './manscdp/body.ts'
import { catalogItem } from './manscdp/catalog.ts'
import { element, type XmlElement } from './manscdp/xml.ts'
import type { Clip } from './media/clip.ts'
import type { MediaSession } from './media/media-session.ts'
import { MessageAnswers } from './message-answers.ts'
import { positionFields, type BasicParam } from './queries.ts'
import { ReceivedRequests } from './received-requests.ts'
import { Registration } from './registration.ts'
import { Signalling } from './signalling.ts'
import { SipEndpoint, type IncomingRequest } from './sip/endpoint.ts'
import type { SipLink, SipLinkHandler } from './sip/link.ts'
import { headerOf, type SipMessage } from './sip/message.ts'
import { TcpLink } from './sip/tcp-link.ts'
import { SharedUdpLink, UdpLink } from './sip/udp-link.ts'
import { Subscriptions, type Subscription } from './subscriptions.ts'
import { Pauses, REAL_TIMERS, type Timers } from './timers.ts'

/** A change of a channel, in the notices of a catalogue (GB/T 28181-2022 A.2.5.5). */
export type CatalogEvent = 'ON' | 'OFF' | 'VLOST' | 'DEFECT' | 'ADD' | 'DEL' | 'UPDATE'

const DEFAULT_RETRY_MS = 60_000
/** The longest wait for the response to the last message. */
const STOP_MS = 5000
const DEFAULT_EXPIRATION = 3600
const DEFAULT_POSITION_SECONDS = 5
const METHODS = 'INVITE, ACK, BYE, CANCEL, INFO, MESSAGE, SUBSCRIBE, NOTIFY, OPTIONS'

/**
 * A device of GB/T 28181, camera or recorder, as a platform sees it over the network. It is written from the standards alone, and
 * shares no code with the platform; quirks make it as wrong as real devices are.
 */
export class GbDevice {
  readonly id: string
  readonly channels: readonly GbChannel[]
  readonly #options: GbDeviceOptions
  readonly #timers: Timers
  readonly #signalling: Signalling
  readonly #endpoint: SipEndpoint
  readonly #registration: Registration
  readonly #calls: Calls
  readonly #subscriptions: Subscriptions
  readonly #alarms: Alarms
  readonly #answers: MessageAnswers
  readonly #pauses: Pauses
  readonly #received = new ReceivedRequests()
  readonly #states = new Map<string, ChannelState>()
  #clip: Promise<Clip> | undefined
  #basicParam: BasicParam
  #position: GbPosition | undefined
  #stopPositions = () => {}
  #stopRetry = () => {}
  #isOn = false

  constructor(options: GbDeviceOptions) {
    const { id, timers = REAL_TIMERS, site = new DeviceSite() } = options
    this.id = id
    this.channels = channelsOf(options)
    this.#options = options
    this.#timers = timers
    this.#pauses = new Pauses(timers)
    this.#position = options.position
    this.#endpoint = new SipEndpoint(this.#newLink(), {
      timers,
      onRequest: (request) => this.#take(request),
      onAckMissing: (message) => this.#calls.unacknowledged(message),
    })
    const emit = (event: DeviceEvent) => options.onEvent?.(event)
    this.#signalling = new Signalling({ options, channels: this.channels, timers, endpoint: this.#endpoint, emit })
    this.#registration = new Registration(this.#signalling)
    this.#subscriptions = new Subscriptions(this.#signalling, () => this.#planPositions())
    this.#alarms = new Alarms(this.#signalling)
    this.#calls = new Calls({
      signalling: this.#signalling,
      site,
      pauses: this.#pauses,
      clip: () => this.#loadClip(),
      reset: () => this.#resetConnection(),
    })
    this.#answers = new MessageAnswers({
      signalling: this.#signalling,
      pauses: this.#pauses,
      alarms: this.#alarms,
      state: (channelId) => this.state(channelId),
      basicParam: () => this.#basicParam,
      configure: (change) => (this.#basicParam = { ...this.#basicParam, ...change }),
      reboot: () => this.#reboot(),
      forceKeyframe: (channelId) => this.#forceKeyframe(channelId),
    })
    this.#basicParam = {
      name: options.name ?? 'gb-device',
      expiration: options.expires ?? DEFAULT_EXPIRATION,
      heartBeatInterval: options.keepaliveSeconds ?? 60,
      heartBeatCount: 3,
    }
  }

  /** True while the server has accepted the registration, as far as the device knows. */
  get isRegistered(): boolean {
    return this.#registration.isRegistered
  }

  /** The requests that have come in, oldest first; the last 1,000. */
  get received(): readonly ReceivedRequest[] {
    return this.#received.all
  }

  /** The number of requests that have come in so far. */
  get receivedCount(): number {
    return this.#received.count
  }

  /** The sessions that were answered and have not ended. */
  get sessions(): readonly MediaSession[] {
    return this.#calls.sessions
  }

  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions.all
  }

  /** The alarms that are sent again until they are reset. */
  get repeatedAlarms(): readonly GbAlarm[] {
    return this.#alarms.repeated
  }

  /** The settings, as `DeviceConfig` has changed them. */
  get basicParam(): BasicParam {
    return this.#basicParam
  }

  /** The own port of SIP. */
  get port(): number {
    return this.#endpoint.link.local.port
  }

  /** The state of a channel, or of the device by its own id, as controls have set it. */
  state(channelId: string): ChannelState {
    const state = this.#states.get(channelId) ?? new ChannelState(() => this.#timers.now())
    this.#states.set(channelId, state)
    return state
  }

  /**
   * Opens its socket and registers.
   * @throws {RegistrationRefused} when the server refuses; the device is closed then, and can be started again
   * @throws {Error} when the server can't be reached, or says nothing
   */
  async start(): Promise<void> {
    this.#isOn = true
    try {
      await this.#open()
      await this.#registration.start()
    } catch (error) {
      this.kill()
      throw error
    }
  }

  /** Ends its sessions, unregisters and closes. */
  async stop(): Promise<void> {
    if (!this.#isOn) return
    this.#isOn = false
    this.#calls.hangUpAll()
    const late = Promise.withResolvers<void>()
    const cancel = this.#timers.after(STOP_MS, late.resolve)
    await Promise.race([this.#registration.stop(), late.promise])
    cancel()
    this.kill()
  }

  /** Vanishes without a word. */
  kill(): void {
    this.#isOn = false
    this.#stopRetry()
    this.#stopPositions()
    this.#pauses.end()
    this.#registration.drop()
    this.#calls.forgetAll()
    this.#subscriptions.forget()
    this.#alarms.reset(this.id)
    this.#endpoint.close()
    this.#endpoint.link.close()
  }

  /** Goes on from another port, as when a NAT has forgotten it; `Contact` stays. UDP alone. */
  async move(): Promise<void> {
    const former = this.#endpoint.link
    const link = this.#newLink()
    await link.open(this.#handler(link))
    this.#endpoint.useLink(link)
    former.close()
  }

  /** Ends the connection, makes another one and registers by it. TCP alone. */
  async reconnect(): Promise<void> {
    this.#endpoint.link.close()
    this.#endpoint.close()
    await this.#open()
    if (this.#isOn) this.#registration.again()
  }

  /**
   * Waits for a request, which may have come already.
   * @param since only requests after so many are looked at, as `receivedCount` was before
   * @throws {Error} when it has not come in time (default 10 s)
   */
  waitFor(
    predicate: (request: ReceivedRequest) => boolean,
    { since = 0, timeoutMs = 10_000 }: { readonly since?: number; readonly timeoutMs?: number } = {},
  ): Promise<ReceivedRequest> {
    return this.#received.waitFor(predicate, since, timeoutMs)
  }

  /** Tells who has subscribed to the catalogue of a change; returns the statuses of the responses. */
  notifyCatalog(event: CatalogEvent, channel: GbChannel): Promise<number[]> {
    const isWhole = event === 'ADD' || event === 'UPDATE'
    const item = isWhole
      ? catalogItem(channel, this.#options, this.#signalling.quirks).children
      : [element('DeviceID', channel.id)]
    const body = this.#notice('Catalog', this.id, [
      element('SumNum', 1),
      element('DeviceList', [element('Item', [...item, element('Event', event)])], { Num: 1 }),
    ])
    return this.#subscriptions.notify('Catalog', body)
  }

  /** Tells who has subscribed to the position; returns the statuses of the responses. */
  notifyPosition(position: GbPosition, deviceId = this.id): Promise<number[]> {
    return this.#subscriptions.notify(
      'MobilePosition',
      this.#notice('MobilePosition', deviceId, positionFields(position)),
    )
  }

  /** Tells who has subscribed to alarms; returns the statuses of the responses. */
  notifyAlarm(alarm: GbAlarm): Promise<number[]> {
    return this.#subscriptions.notify('Alarm', this.#alarms.body(alarm))
  }

  /**
   * Tells the server of an alarm by `MESSAGE`; one of method 2 again and again until it is reset. Returns the status of the response.
   * @throws {NoResponse} when there is none
   */
  alarm(alarm: GbAlarm): Promise<number> {
    return this.#alarms.send(alarm)
  }

  /** Sends a body of its own by `MESSAGE`, and returns the status of the response. */
  async message(body: XmlElement): Promise<number> {
    return (await this.#signalling.message(body)).status
  }

  /** Forgets all subscriptions: what asks to go on gets 481. */
  forgetSubscriptions(): void {
    this.#subscriptions.forget()
  }

  #newLink(): SipLink {
    const { server, transport = 'udp', site } = this.#options
    if (transport === 'tcp') return new TcpLink(server)
    if (site?.socket === undefined) return new UdpLink(server)
    return new SharedUdpLink(site.socket, server, [this.id, ...this.channels.map((channel) => channel.id)])
  }

  async #open(): Promise<void> {
    const link = this.#newLink()
    this.#endpoint.useLink(link)
    await link.open(this.#handler(link))
  }

  #handler(link: SipLink): SipLinkHandler {
    return {
      onMessage: (message, source, answer) => {
        if (this.#signalling.quirks.has('breaks-on-date') && isDated(message)) return
        this.#endpoint.take(message, source, answer)
      },
      onClosed: () => {
        if (link === this.#endpoint.link) this.#disconnected()
      },
    }
  }

  #resetConnection(): void {
    if (this.#endpoint.link.transport === 'UDP') return
    this.#endpoint.link.close()
    this.#disconnected()
  }

  #disconnected(): void {
    this.#endpoint.close()
    this.#options.onEvent?.({ kind: 'disconnected' })
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (!this.#isOn) return
    this.#stopRetry = this.#timers.after(this.#options.retryMs ?? DEFAULT_RETRY_MS, () => {
      void this.reconnect().catch(() => this.#reconnectLater())
    })
  }

  async #loadClip(): Promise<Clip> {
    const { source } = this.#options
    if (source === undefined) throw new Error('the device has no media')
    this.#clip ??= Promise.resolve(typeof source === 'function' ? source() : source)
    return this.#clip
  }

  #take(request: IncomingRequest): void {
    const { message, respond } = request
    const { toTag } = this.#signalling
    try {
      const body = bodyIn(request)
      this.#received.add(message, body)
      switch (message.method) {
        case 'INVITE':
          return this.#calls.invite(request)
        case 'ACK':
          return this.#calls.acknowledge(message)
        case 'BYE':
          return this.#calls.bye(request)
        case 'CANCEL':
          return this.#calls.cancel(request)
        case 'INFO':
          return this.#calls.info(request)
        case 'SUBSCRIBE':
          return this.#subscriptions.take(request)
        case 'OPTIONS':
          return respond(200, { toTag, headers: [['Allow', METHODS]] })
        case 'MESSAGE':
          return body === undefined ? respond(400, { toTag }) : this.#answers.take(request, body)
        default:
          return respond(405, { toTag, headers: [['Allow', METHODS]] })
      }
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      respond(400, { toTag })
    }
  }

  #reboot(): void {
    this.#calls.forgetAll()
    this.#subscriptions.forget()
    this.#alarms.reset(this.id)
    this.#registration.again()
  }

  #forceKeyframe(channelId: string): void {
    for (const session of this.sessions) if (session.channelId === channelId) session.forceKeyframe()
  }

  /** Tells of its position in the shortest pause that a subscription asks for. */
  #planPositions(): void {
    this.#stopPositions()
    const position = this.#position
    const wishes = this.subscriptions.filter(({ cmdType }) => cmdType === 'MobilePosition')
    if (position === undefined || wishes.length === 0) return
    const seconds = Math.min(...wishes.map(({ intervalSeconds = DEFAULT_POSITION_SECONDS }) => intervalSeconds))
    this.#stopPositions = this.#timers.after(Math.max(1, seconds) * 1000, () => {
      void this.notifyPosition(position)
      this.#planPositions()
    })
  }

  #notice(cmdType: string, deviceId: string, fields: readonly XmlElement[]): XmlElement {
    return bodyOf('Notify', { cmdType, sn: this.#signalling.nextSn(), deviceId }, fields)
  }
}

/** A body of MANSCDP; undefined where the message has none. */
function bodyIn({ message }: IncomingRequest): ReceivedBody | undefined {
  const isManscdp = /manscdp|xml/iu.test(headerOf(message, 'Content-Type') ?? '')
  return isManscdp && message.body.length > 0 ? parseBody(message) : undefined
}

function isDated(message: SipMessage): boolean {
  return message.kind === 'response' && headerOf(message, 'Date') !== undefined
}
