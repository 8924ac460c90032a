import { failureOfStatus, type Engine, type EngineFigures, type Failure, type OpenEngine } from './engine.ts'

const SDP = 'application/sdp'
/** A peer that nothing reaches is given up after this; the server's own answer may take longer, while it waits for a stream. */
const CONNECT_TIMEOUT_MS = 8000

/** Plays by WHEP: the offer goes to the server by one request, and media comes by ICE. */
export const openEngine: OpenEngine = (video, url, onFailure) => new WebRtcEngine(video, url, onFailure)

class WebRtcEngine implements Engine {
  readonly #connection = new RTCPeerConnection()
  readonly #video: HTMLVideoElement
  readonly #onFailure: (failure: Failure) => void
  /** The session at the server, once there is one. */
  #resource: string | undefined
  #isClosed = false
  #timer: number | undefined
  #before: { readonly delay: number; readonly emitted: number } | undefined

  constructor(video: HTMLVideoElement, url: string, onFailure: (failure: Failure) => void) {
    this.#video = video
    this.#onFailure = onFailure
    const media = new MediaStream()
    const connection = this.#connection
    for (const kind of ['video', 'audio']) connection.addTransceiver(kind, { direction: 'recvonly' })
    connection.addEventListener('track', ({ track }) => {
      media.addTrack(track)
      if (!this.#isClosed) video.srcObject = media
    })
    connection.addEventListener('connectionstatechange', () => this.#stateChanged())
    addEventListener('pagehide', this.#left)
    this.#connect(url).catch((error: unknown) => this.#fail({ kind: 'unsupported', message: (error as Error).message }))
  }

  async figures(): Promise<EngineFigures> {
    let receivedBytes = 0
    let roundTripMs = 0
    let delayMs: number | undefined
    for (const report of (await this.#connection.getStats()).values()) {
      if (report.type === 'inbound-rtp') receivedBytes += report.bytesReceived ?? 0
      if (report.type === 'candidate-pair' && report.nominated === true) {
        roundTripMs = 1000 * (report.currentRoundTripTime ?? 0)
      }
      if (report.type === 'inbound-rtp' && report.kind === 'video') delayMs = this.#jitterBufferMs(report)
    }
    return {
      receivedBytes,
      ...(delayMs !== undefined && { delayMs: delayMs + roundTripMs / 2, bufferMs: delayMs }),
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    removeEventListener('pagehide', this.#left)
    this.#video.srcObject = null
    void this.#leaveServer().finally(() => this.#connection.close())
  }

  readonly #left = () => this.#fail({ kind: 'ended', message: '' })

  async #connect(url: string): Promise<void> {
    const connection = this.#connection
    const offer = await connection.createOffer()
    const sdp = stereo(offer.sdp ?? '')
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': SDP }, body: sdp }).catch(
      (error: unknown) => error as Error,
    )
    if (answer instanceof Error) return this.#fail({ kind: 'unreachable', message: answer.message })
    const text = await answer.text()
    if (!answer.ok) return this.#fail(failureOfStatus(answer.status, text))
    this.#resource = sessionAddress(answer.headers.get('location'), url)
    // It may have been closed while the server waited for the stream.
    if (this.#isClosed) return this.#leaveServer()
    const iceServers = iceServersOf(answer.headers.get('link') ?? '')
    if (iceServers.length > 0) connection.setConfiguration({ iceServers })
    await connection.setLocalDescription({ type: 'offer', sdp })
    await connection.setRemoteDescription({ type: 'answer', sdp: text })
    this.#timer = window.setTimeout(
      () => this.#fail({ kind: 'unreachable', message: `no media connection in ${CONNECT_TIMEOUT_MS / 1000} s` }),
      CONNECT_TIMEOUT_MS,
    )
    const transport = connection.getReceivers()[0]?.transport
    transport?.addEventListener('statechange', () => {
      if (transport.state !== 'closed') return
      // The server has ended it, and knows it no more.
      this.#resource = undefined
      this.#fail({ kind: 'ended', message: '' })
    })
  }

  #stateChanged(): void {
    const { connectionState } = this.#connection
    if (connectionState === 'connected') clearTimeout(this.#timer)
    // Lost packets come back by themselves; the browser says `failed` when they have not for some seconds.
    if (connectionState === 'failed') this.#fail({ kind: 'unreachable', message: 'no way to the server is left' })
  }

  #fail(failure: Failure): void {
    if (this.#isClosed) return
    this.close()
    this.#onFailure(failure)
  }

  /** Ends the session at the server, while it is still connected: afterwards, the server has forgotten it. */
  async #leaveServer(): Promise<void> {
    const resource = this.#resource
    this.#resource = undefined
    if (resource !== undefined) await fetch(resource, { method: 'DELETE', keepalive: true }).catch(() => undefined)
  }

  /** The time that pictures of late were in the jitter buffer. */
  #jitterBufferMs({ jitterBufferDelay = 0, jitterBufferEmittedCount = 0 }: Readonly<Record<string, number>>) {
    const before = this.#before ?? { delay: 0, emitted: 0 }
    const emitted = jitterBufferEmittedCount - before.emitted
    if (emitted <= 0) return undefined
    this.#before = { delay: jitterBufferDelay, emitted: jitterBufferEmittedCount }
    return (1000 * (jitterBufferDelay - before.delay)) / emitted
  }
}

/** Sound of two channels is played as such only where the receiver asks for it (RFC 7587 7.1). */
function stereo(sdp: string): string {
  return sdp.replaceAll('useinbandfec=1', 'useinbandfec=1;stereo=1')
}

/** A proxy may have the server below a path of its own, which the server's `Location` does not have. */
function sessionAddress(location: string | null, url: string): string | undefined {
  if (location === null) return undefined
  const asked = new URL(url, document.baseURI)
  const below = asked.pathname.slice(0, asked.pathname.indexOf('/webrtc/'))
  return new URL(location.startsWith('/webrtc/') ? below + location : location, asked).href
}

/** The STUN and TURN servers of a `Link` header (RFC 9725 4.6). */
function iceServersOf(link: string): RTCIceServer[] {
  return [...link.matchAll(/<([^>]+)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/gu)].flatMap(([, urls = '', attributes = '']) => {
    const valueOf = (name: string) =>
      new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'iu').exec(attributes)?.[1]?.replaceAll(/\\(.)/gu, '$1')
    if (valueOf('rel') !== 'ice-server') return []
    const username = valueOf('username')
    const credential = valueOf('credential')
    return [{ urls, ...(username !== undefined && { username }), ...(credential !== undefined && { credential }) }]
  })
}
