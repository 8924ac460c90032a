import { randomInt } from 'node:crypto'
import { MalformedError } from 'sluice/sdk/media'
import type { DeviceSite } from './device-site.ts'
import { MANSCDP_TYPE, bodyOf } from './manscdp/body.ts'
import { recordedMs, recordingsIn } from './manscdp/recordings.ts'
import { element } from './manscdp/xml.ts'
import type { Clip } from './media/clip.ts'
import { programStreamSize } from './media/file-size.ts'
import { MANSRTSP_TYPE, parsePlaybackOrder, serializePlaybackResponse } from './media/mansrtsp.ts'
import { MediaSession } from './media/media-session.ts'
import type { MediaSocket } from './media/media-socket.ts'
import { TcpMediaClient, TcpMediaServer } from './media/tcp-media.ts'
import { UdpMedia } from './media/udp-media.ts'
import { NotAcceptable, parseOffer, type MediaOffer } from './sdp/offer.ts'
import { serializeAnswer } from './sdp/answer.ts'
import type { Signalling } from './signalling.ts'
import { userOf } from './sip/address.ts'
import type { Pauses } from './timers.ts'
import { Dialog } from './sip/dialog.ts'
import type { IncomingRequest } from './sip/endpoint.ts'
import { headerOf, type SipRequest } from './sip/message.ts'

/** `NotifyType` of a file that was sent to its end (GB/T 28181-2022 A.2.5.4). */
const FILE_ENDED = 121
const OTHER_MEDIA_ADDRESS = '127.0.0.2'
const SSRC_DIGITS = 10
/** The types of recordings by their number in `u=`; all without one (annex G). */
const RECORD_TYPES: Readonly<Record<string, string>> = { 1: 'manual', 2: 'alarm', 3: 'time' }
const HISTORY = new Set(['Playback', 'Download'])

/** A session that a platform has begun by `INVITE`. */
type Call = {
  readonly dialog: Dialog
  readonly channelId: string
  /** The first part of `Subject`: a stream of a channel; undefined where there is none. */
  readonly senderKey: string | undefined
  readonly invite: IncomingRequest
  /** Undefined until it was answered. */
  session: MediaSession | undefined
}

export type CallsInit = {
  readonly signalling: Signalling
  readonly site: DeviceSite
  readonly pauses: Pauses
  /** @throws {Error} when there are none */
  readonly clip: () => Promise<Clip>
  /** Ends the connection to the server. */
  readonly reset: () => void
}

/** The sessions of media of a device (GB/T 28181-2022 9.2, 9.8 and 9.9). */
export class Calls {
  readonly #init: CallsInit
  /** By Call-ID. */
  readonly #calls = new Map<string, Call>()

  constructor(init: CallsInit) {
    this.#init = init
  }

  /** The sessions that were answered and have not ended. */
  get sessions(): readonly MediaSession[] {
    return [...this.#calls.values()].flatMap(({ session }) => session ?? [])
  }

  /** Takes an `INVITE`. */
  invite(invite: IncomingRequest): void {
    const { quirks, channels } = this.#init.signalling
    const { message, respond } = invite
    const isChannel = (id: string) => channels.some((channel) => channel.id === id)
    const channelId = [message.uri, headerOf(message, 'To')].map(userOf).find(isChannel) ?? userOf(message.uri)
    if (quirks.has('resets-other-uri') && !isChannel(userOf(message.uri))) return this.#init.reset()
    const refusal = quirks.numberOf('refuse') ?? (isChannel(channelId) ? undefined : 404)
    const offer = refusal ?? offerOf(message)
    if (typeof offer === 'number') return this.#refuse(invite, channelId, offer)
    respond(100)
    const senderKey = headerOf(message, 'Subject')?.split(',')[0]?.trim()
    const former = this.#calls.get(headerOf(message, 'Call-ID') ?? '')
    former?.session?.end()
    for (const call of this.#calls.values()) {
      if (call !== former && senderKey !== undefined && call.senderKey === senderKey) this.#hangUp(call)
    }
    const call: Call = {
      dialog: former?.dialog ?? new Dialog(message),
      channelId,
      senderKey,
      invite,
      session: undefined,
    }
    this.#calls.set(call.dialog.callId, call)
    if (quirks.has('trying-only')) return
    void this.#answer(call, offer).catch(() => {
      this.#forget(call)
      this.#refuse(invite, channelId, 488)
    })
  }

  /** Takes an `ACK`: media begin. */
  acknowledge(message: SipRequest): void {
    const call = this.#callOf(message)
    const session = call?.session
    if (call === undefined || session === undefined) return
    const of = { channelId: call.channelId, session: session.kind }
    const { emit } = this.#init.signalling
    void session.start().then(
      () => session.isSending && emit({ kind: 'media', ...of }),
      (error: unknown) => emit({ kind: 'media-lost', ...of, reason: String(error) }),
    )
  }

  /** No `ACK` has come: the session ends (RFC 3261 13.3.1.4). */
  unacknowledged(message: SipRequest): void {
    const call = this.#callOf(message)
    if (call?.session !== undefined) this.#hangUp(call)
  }

  /** Takes a `CANCEL`. */
  cancel({ message, respond }: IncomingRequest): void {
    const { toTag } = this.#init.signalling
    const call = this.#callOf(message)
    if (call === undefined) return respond(481, { toTag })
    respond(200, { toTag })
    if (call.session !== undefined) return
    this.#forget(call)
    this.#refuse(call.invite, call.channelId, 487)
  }

  /** Takes a `BYE`. */
  bye({ message, respond }: IncomingRequest): void {
    const call = this.#callOf(message)
    respond(call === undefined ? 481 : 200)
    if (call === undefined) return
    this.#forget(call)
    this.#tellEnd(call, 'platform')
  }

  /** Takes an `INFO` with an order for a playback. */
  info({ message, respond }: IncomingRequest): void {
    const session = this.#callOf(message)?.session
    if (session === undefined) return respond(481)
    try {
      const order = parsePlaybackOrder(message.body)
      respond(200, { headers: [['Content-Type', MANSRTSP_TYPE]], body: serializePlaybackResponse(order) })
      if (order.verb === 'TEARDOWN') session.end()
      else session.steer(order)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      respond(400)
    }
  }

  /** Ends all sessions with a `BYE`. */
  hangUpAll(): void {
    for (const call of this.#calls.values()) this.#hangUp(call)
  }

  /** Ends all sessions without a word. */
  forgetAll(): void {
    for (const call of this.#calls.values()) this.#forget(call)
  }

  async #answer(call: Call, offer: MediaOffer): Promise<void> {
    const { signalling, site } = this.#init
    const { quirks, timers, options, toTag } = signalling
    const { answerDelayMs = 0 } = options
    const { channelId, invite, dialog } = call
    const durationMs = HISTORY.has(offer.kind) ? this.#durationOf(offer, channelId) : undefined
    if (durationMs === 0) {
      this.#forget(call)
      return this.#refuse(invite, channelId, 404)
    }
    const clip = await this.#init.clip()
    if (answerDelayMs > 0 && !(await this.#init.pauses.wait(answerDelayMs))) return
    const host = quirks.has('other-media-address') ? OTHER_MEDIA_ADDRESS : signalling.endpoint.link.local.host
    const socket = await this.#open(call, offer, host)
    // It was cancelled meanwhile, or another one has taken its place.
    if (this.#calls.get(dialog.callId) !== call) return socket.close()
    const own = randomInt(1, 2 ** 31)
    const ssrc = quirks.has('zero-ssrc') ? 0 : quirks.has('own-ssrc') ? own : Number(offer.ssrc ?? own)
    call.session = new MediaSession({
      channelId,
      offer,
      clip,
      socket,
      ssrc,
      quirks,
      timers,
      durationMs,
      ticker: site.ticker,
      onPlayed: () => void this.#played(call),
      onEnough: () => this.#hangUp(call),
    })
    const body = serializeAnswer(offer, {
      channelId,
      host,
      port: quirks.has('bad-ports') ? -1 : quirks.has('no-ports') ? undefined : socket.port,
      ssrc: quirks.has('no-y') ? undefined : (offer.ssrc ?? String(ssrc).padStart(SSRC_DIGITS, '0')),
      fileSizeBytes:
        offer.kind === 'Download' && durationMs !== undefined ? programStreamSize(clip, durationMs) : undefined,
      format: offer.format,
    })
    invite.respond(200, {
      toTag: toTag === undefined ? undefined : dialog.localTag,
      headers: [
        ['Contact', signalling.contact],
        ['Content-Type', 'Application/SDP'],
      ],
      body,
    })
    signalling.emit({ kind: 'invite', channelId, session: offer.kind, status: 200 })
  }

  #open({ channelId, dialog }: Call, offer: MediaOffer, host: string): Promise<MediaSocket> | MediaSocket {
    const { quirks, timers, emit } = this.#init.signalling
    const peer = { host: offer.host, port: offer.port }
    const onClosed = () => {
      this.#calls.get(dialog.callId)?.session?.end()
      emit({ kind: 'media-lost', channelId, session: offer.kind, reason: 'the platform has ended the connection' })
    }
    const init = { host, peer, onClosed, quirks, timers }
    if (offer.transport === 'udp') return UdpMedia.open(init)
    return offer.setup === 'passive' ? new TcpMediaClient(init) : TcpMediaServer.open(init)
  }

  /** The length of what is recorded in the span that is asked for, in milliseconds. */
  #durationOf({ start, end, uri }: MediaOffer, channelId: string): number {
    const [from, to] = [new Date(start * 1000), new Date(end * 1000)]
    const type = RECORD_TYPES[uri?.split(':')[1] ?? '']
    const { recordings = [] } = this.#init.signalling.options
    const found = recordingsIn(recordings, channelId, { start: from, end: to, type })
    return recordedMs(found, from, to)
  }

  /** All of a recording was sent: tells so within the dialog, and ends it (9.8.2.2). */
  async #played(call: Call): Promise<void> {
    const { signalling } = this.#init
    call.session?.end()
    const head = { cmdType: 'MediaStatus', sn: signalling.nextSn(), deviceId: call.channelId }
    const body = signalling.bytesOf(bodyOf('Notify', head, [element('NotifyType', FILE_ENDED)]))
    const request = call.dialog.request('MESSAGE', [['Content-Type', MANSCDP_TYPE]], body)
    await signalling.endpoint.request(request).catch(() => undefined)
    if (this.#calls.get(call.dialog.callId) === call) this.#hangUp(call)
  }

  #hangUp(call: Call): void {
    const wasAnswered = call.session !== undefined
    this.#forget(call)
    if (!wasAnswered) return this.#refuse(call.invite, call.channelId, 487)
    // The platform may be gone.
    void this.#init.signalling.endpoint.request(call.dialog.request('BYE')).catch(() => undefined)
    this.#tellEnd(call, 'device')
  }

  #forget(call: Call): void {
    call.session?.end()
    if (this.#calls.get(call.dialog.callId) === call) this.#calls.delete(call.dialog.callId)
  }

  #tellEnd({ channelId, session }: Call, by: 'platform' | 'device'): void {
    this.#init.signalling.emit({ kind: 'bye', channelId, session: session?.kind ?? '', by })
  }

  #refuse({ message, respond }: IncomingRequest, channelId: string, status: number): void {
    const { toTag, emit } = this.#init.signalling
    respond(status, { toTag })
    emit({ kind: 'invite', channelId, session: headerOf(message, 'Subject') ?? '', status })
  }

  #callOf(message: SipRequest): Call | undefined {
    return this.#calls.get(headerOf(message, 'Call-ID') ?? '')
  }
}

/** The offer of an `INVITE`, or the status that refuses it. */
function offerOf({ body }: SipRequest): MediaOffer | number {
  try {
    const offer = parseOffer(body.toString('utf8'))
    const isStream = ['Play', 'Playback', 'Download'].includes(offer.kind) && offer.media === 'video'
    // Talk and broadcast are not for this device.
    return isStream ? offer : 488
  } catch (error) {
    if (error instanceof NotAcceptable) return 488
    if (error instanceof MalformedError) return 400
    throw error
  }
}
