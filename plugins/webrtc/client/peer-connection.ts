import { performance } from 'node:perf_hooks'
import { SluiceError, untilAborted, type CloseReason, type PullRequest } from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import { acceptAnswer } from '../sdp/client-offer.ts'
import { serializeOffer, type SessionNames } from '../sdp/local-description.ts'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import { parseDescription } from '../sdp/remote-description.ts'
import type { SessionMedia } from '../server/session-media.ts'
import type { SessionParts } from '../server/session-parts.ts'
import { parseRemoteCandidate } from '../transport/ice-candidate.ts'
import { isLoopback } from '../transport/ip-address.ts'
import type { PeerTransport } from '../transport/peer-transport.ts'
import type { IceCandidateLine } from '../transport/transport-description.ts'
import { HttpSession } from './http-session.ts'

/** The most packets that are kept before `attach` is called: some seconds of a good picture. */
const MAX_EARLY_PACKETS = 2048
const LOOPBACK = '127.0.0.1'

export type PeerConnectionInit = {
  readonly parts: Pick<SessionParts, 'createTransport'>
  /** The URL of the server, the headers for it, and the dialer. */
  readonly request: Pick<PullRequest, 'url' | 'header' | 'dial' | 'step'>
  /** Aborts the opening; it has no effect on a connection that is open. */
  readonly signal: AbortSignal
  readonly names: SessionNames
  readonly offer: readonly NegotiatedMedia[]
}

type EarlyPacket = { readonly kind: 'rtp' | 'rtcp'; readonly packet: Buffer }

/** A connection to a server that this end has called by WHIP or WHEP: the session there and its transport. Either ends with the other. */
export class PeerConnection {
  readonly #init: PeerConnectionInit
  readonly #connected = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<CloseReason>()
  #http: HttpSession | undefined
  #transport: PeerTransport | undefined
  #medias: readonly NegotiatedMedia[] = []
  #media: SessionMedia | undefined
  #early: EarlyPacket[] = []
  #isClosed = false

  /**
   * Calls the server, and resolves when its media can be sent and received.
   * @throws {SourceError} when it can't be reached, refuses, or its media can't get through; {@link StreamUnavailable} when there is no
   * room; any error when the signal aborts
   */
  static async open(init: PeerConnectionInit): Promise<PeerConnection> {
    if (init.request.dial.proxied) {
      throw new SourceError(
        'a proxy leads TCP on, and the media of WebRTC goes by UDP: use no proxy, or another protocol',
      )
    }
    const connection = new PeerConnection(init)
    try {
      await connection.#open()
      return connection
    } catch (error) {
      await connection.close('it did not begin')
      throw error
    }
  }

  private constructor(init: PeerConnectionInit) {
    this.#init = init
  }

  /** The medias that both ends have agreed on. */
  get medias(): readonly NegotiatedMedia[] {
    return this.#medias
  }

  get transport(): PeerTransport {
    if (this.#transport === undefined) throw new SourceError('the connection is not open')
    return this.#transport
  }

  /** Resolves with the reason when the connection has ended. */
  get closed(): Promise<CloseReason> {
    return this.#closed.promise
  }

  /** Passes the packets that come to `media`, first those that came before, and notifies it that media can be sent. Called once. */
  attach(media: SessionMedia): void {
    if (this.#isClosed) {
      media.close()
      return
    }
    this.#media = media
    media.connected()
    for (const { kind, packet } of this.#early.splice(0)) media[kind](packet, performance.now())
  }

  /** Ends the connection at both ends. It never rejects; idempotent. */
  async close(text: string): Promise<void> {
    this.#transport?.close(text)
    const http = this.#http
    this.#http = undefined
    await http?.end()
  }

  async #open(): Promise<void> {
    const { parts, request, signal, names, offer } = this.#init
    const { url, header, dial, step } = request
    const transport = await parts.createTransport({
      role: 'offerer',
      clientAddress: isHere(url) ? LOOPBACK : '',
      mayReach: (address) => denialOf(dial, address) === undefined,
      handlers: {
        connected: () => this.#connected.resolve(),
        rtp: (packet) => this.#take('rtp', packet),
        rtcp: (packet) => this.#take('rtcp', packet),
        alive: () => this.#media?.alive(),
        closed: (reason) => this.#end(reason),
      },
    })
    this.#transport = transport
    signal.throwIfAborted()
    step('offer')
    const text = serializeOffer(offer, transport.local, names)
    this.#http = await HttpSession.begin({ url, header, dial, offer: text, signal })
    step('connect')
    this.#accept(this.#http.answer)
    const ended = this.closed.then(({ text: why }) => {
      throw new SourceError(why)
    })
    await Promise.race([this.#connected.promise, ended, untilAborted(signal)])
  }

  /** @throws {SourceError} when the answer is malformed, or agrees to nothing */
  #accept(text: string): void {
    const { offer, request } = this.#init
    try {
      const answer = parseDescription(text)
      this.#medias = acceptAnswer(offer, answer)
      checkCandidates(answer.transport.candidates, request.dial)
      this.transport.connect(answer.transport)
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      throw new SourceError(`the answer of the server is of no use: ${error.message}`, { cause: error })
    }
  }

  #take(kind: EarlyPacket['kind'], packet: Buffer): void {
    if (this.#media !== undefined) this.#media[kind](packet, performance.now())
    else if (this.#early.length < MAX_EARLY_PACKETS) this.#early.push({ kind, packet })
  }

  #end(reason: CloseReason): void {
    this.#isClosed = true
    this.#early = []
    this.#media?.close()
    this.#closed.resolve(reason)
  }
}

/** True when the URL names this machine: `localhost` or a loopback address. */
function isHere(url: string): boolean {
  const host =
    URL.parse(url)
      ?.hostname.replace(/^\[|\]$/gu, '')
      .toLowerCase() ?? ''
  return host === 'localhost' || isLoopback(host)
}

/** @throws {SourceError} when the server has named addresses, and all of them are denied */
function checkCandidates(lines: readonly IceCandidateLine[], dial: PullRequest['dial']): void {
  const candidates = lines.map((line) => parseRemoteCandidate(line)).filter((candidate) => candidate !== undefined)
  const denials = candidates.map(({ address }) => denialOf(dial, address))
  if (denials.length > 0 && !denials.includes(undefined)) throw new SourceError(denials[0]!)
}

/** The reason for which an address is denied; undefined when it is allowed. */
function denialOf(dial: PullRequest['dial'], address: string): string | undefined {
  try {
    dial.checkAddress(address)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'it is denied'
  }
}
