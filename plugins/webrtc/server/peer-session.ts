import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { StreamUnavailable, type CloseReason, type Publisher, type SessionClient, type Subscriber } from 'sluice/sdk'
import { serializeAnswer, type SessionNames } from '../sdp/local-description.ts'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import type { RemoteDescription } from '../sdp/remote-description.ts'
import type { TrickleFragment } from '../sdp/trickle-fragment.ts'
import type { PeerTransport } from '../transport/peer-transport.ts'
import type { IceCredentials } from '../transport/transport-description.ts'
import { keepFailed, type SessionList, type SessionView } from './session-list.ts'
import { sessionDetails, type SessionMedia } from './session-media.ts'
import type { SessionParts } from './session-parts.ts'

export type PeerSessionInit = {
  readonly action: 'publish' | 'play'
  /** The publisher or subscriber that the peer was admitted as. */
  readonly member: Pick<Publisher & Subscriber, 'id' | 'streamPath' | 'details' | 'onClose' | 'close'>
  readonly client: SessionClient
  readonly offer: RemoteDescription
  readonly medias: readonly NegotiatedMedia[]
  readonly names: SessionNames
  readonly parts: SessionParts
  readonly list: SessionList
  readonly log: Logger
  createMedia(transport: PeerTransport): SessionMedia
}

/** The reasons that count as failures of a session which is not connected yet, as nobody has ended it on purpose. */
const FAILURES: readonly CloseReason['code'][] = ['closed', 'timeout', 'failed']
const UNOPENED = { state: 'checking', pair: undefined, rttMs: undefined, profile: undefined } as const
const STOPPED: CloseReason = { code: 'stopped', text: 'stopped by an operator' }

/** The session of a peer that publishes or plays: its publisher or subscriber, its transport and its media. All end together, and once. */
export class PeerSession {
  readonly #init: PeerSessionInit
  readonly #log: Logger
  readonly #startTime = new Date().toISOString()
  #transport: PeerTransport | undefined
  #media: SessionMedia | undefined
  #remoteIce: IceCredentials
  #isConnecting = false
  #isClosed = false

  /**
   * Opens the session of a peer that was admitted.
   * @throws {SluiceError} when its transport can't be opened, or its publisher or subscriber has ended meanwhile; everything is closed then
   */
  static async open(init: PeerSessionInit): Promise<PeerSession> {
    const session = new PeerSession(init)
    try {
      await session.#open()
      return session
    } catch (error) {
      init.member.close('refused')
      throw error
    }
  }

  private constructor(init: PeerSessionInit) {
    this.#init = init
    const { action, member, client, log, list } = init
    this.#remoteIce = init.offer.transport.ice
    this.#log = log.child({ session: member.id, stream: member.streamPath })
    const { ip, port, userAgent } = client
    this.#log.info({ ip, port, userAgent }, action)
    list.running.set(member.id, { view: () => this.#view(), stop: () => this.close(STOPPED) })
    member.details(() => sessionDetails(this.#transport?.status ?? UNOPENED, this.#media))
    member.onClose((reason) => this.#closed(reason))
  }

  /** The ETag, which names the state of ICE and changes by a restart (RFC 9725 4.3.1). */
  get etag(): string {
    return `"${this.#opened.local.ice.usernameFragment}"`
  }

  /** The media that stands for all in candidates. */
  get firstMedia(): NegotiatedMedia {
    return this.#init.medias[0]!
  }

  /** The session description that answers the peer's offer. */
  get answer(): string {
    const { offer, medias, names } = this.#init
    return serializeAnswer(offer, medias, this.#opened.local, names)
  }

  /** True when a fragment has other credentials than the peer's current ones. */
  isRestart({ ice }: TrickleFragment): boolean {
    return (
      ice !== undefined &&
      (ice.usernameFragment !== this.#remoteIce.usernameFragment || ice.password !== this.#remoteIce.password)
    )
  }

  /** Adds candidates that came later. */
  trickle({ candidates, isComplete }: TrickleFragment): void {
    this.#opened.addCandidates(candidates, isComplete)
  }

  /** Begins the checks again, and returns the fragment with this end's new credentials. */
  restart(remote: IceCredentials, fragment: TrickleFragment): TrickleFragment {
    const transport = this.#opened
    const ice = transport.restartIce(remote)
    this.#remoteIce = remote
    this.trickle(fragment)
    const { candidates, isComplete } = transport.local
    return { ice, candidates, isComplete }
  }

  /** Calls `listener` when the session has ended. */
  onClose(listener: () => void): void {
    this.#init.member.onClose(listener)
  }

  close(reason: CloseReason): void {
    this.#init.member.close(reason)
  }

  get #opened(): PeerTransport {
    if (this.#transport === undefined) throw new StreamUnavailable('the session is not open')
    return this.#transport
  }

  async #open(): Promise<void> {
    const { parts, client, offer } = this.#init
    const transport = await parts.createTransport({
      role: 'answerer',
      clientAddress: client.ip,
      handlers: {
        connected: () => this.#connected(),
        rtp: (packet) => this.#media?.rtp(packet, performance.now()),
        rtcp: (packet) => this.#media?.rtcp(packet, performance.now()),
        alive: () => this.#media?.alive(),
        closed: (reason) => this.close(reason),
      },
    })
    this.#transport = transport
    if (this.#isClosed) {
      transport.close('the session has ended')
      throw new StreamUnavailable('the session has ended')
    }
    this.#media = this.#init.createMedia(transport)
    transport.connect(offer.transport)
    this.#isConnecting = true
  }

  #connected(): void {
    if (this.#isClosed) return
    this.#isConnecting = false
    const { pair, profile } = this.#opened.status
    this.#log.info({ pair, profile }, 'connected')
    this.#media?.connected()
  }

  #closed(reason: CloseReason): void {
    this.#isClosed = true
    const { action, member, list } = this.#init
    list.running.delete(member.id)
    const transport = this.#transport
    if (transport !== undefined && this.#isConnecting && FAILURES.includes(reason.code)) {
      const { checks } = transport.status
      this.#log.warn({ checks, reason: reason.text }, 'the peer could not be reached')
      keepFailed(list, { ...this.#view(), state: 'failed', reason: reason.text })
    }
    this.#media?.close()
    transport?.close(reason)
    this.#log.info({ reason: reason.text }, `${action} ended`)
  }

  #view(): SessionView {
    const { action, member, client } = this.#init
    const status = this.#transport?.status
    const { id, streamPath } = member
    const host = client.ip.includes(':') ? `[${client.ip}]` : client.ip
    return {
      id,
      action,
      streamPath,
      remoteAddr: `${host}:${client.port}`,
      startTime: this.#startTime,
      reason: '',
      state: status?.state ?? 'checking',
      pair: status?.pair,
      rttMs: status?.rttMs,
      profile: status?.profile,
      checks: status?.checks ?? [],
      bytesReceived: status?.bytesReceived ?? 0,
      bytesSent: status?.bytesSent ?? 0,
    }
  }
}
