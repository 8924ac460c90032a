/* global addEventListener, fetch, MediaStream, removeEventListener, RTCPeerConnection, URL */

const SDP = 'application/sdp'
const SDP_FRAGMENT = 'application/trickle-ice-sdpfrag'

/** The server has refused a session: `status` is that of HTTP, the message what the server says. */
export class Refused extends Error {
  constructor(status, text) {
    super(text)
    this.status = status
  }
}

/**
 * A session of WHIP (RFC 9725) or WHEP. `onEnd` is called once, with the reason, when it is over by itself: the server or the
 * network has ended it, or the browser shows a page again that was left.
 */
export class WebRtcSession {
  #connection = new RTCPeerConnection()
  #resource = ''
  #onEnd
  #isClosed = false
  #leave = () => {
    this.close()
    // The browser may show the page again as it was.
    addEventListener('pageshow', () => this.#onEnd('the page was left'), { once: true })
  }

  constructor(onEnd = () => {}) {
    this.#onEnd = onEnd
    // What is lost for a moment comes back by itself, and fails after some seconds if it does not.
    this.#connection.addEventListener('connectionstatechange', () => {
      if (this.#connection.connectionState === 'failed') this.#ended('no way to the server is left')
    })
    addEventListener('pagehide', this.#leave, { once: true })
  }

  get connection() {
    return this.#connection
  }

  /**
   * Publishes the tracks of a media stream.
   * @param choose may set up the transceiver of each, such as its codecs
   * @param layers of the pictures (`sendEncodings`), for simulcast; one where there are none
   * @throws {Refused} and what the browser throws; the session is closed then
   */
  publish(url, media, choose = () => {}, layers) {
    for (const track of media.getTracks()) {
      const sendEncodings = (track.kind === 'video' && layers) || [{}]
      choose(this.#connection.addTransceiver(track, { direction: 'sendonly', streams: [media], sendEncodings }))
    }
    return this.#begin(url)
  }

  /**
   * Plays a stream in a media element.
   * @throws {Refused} and what the browser throws; the session is closed then
   */
  play(url, element) {
    for (const kind of ['video', 'audio']) this.#connection.addTransceiver(kind, { direction: 'recvonly' })
    const media = new MediaStream()
    this.#connection.addEventListener('track', ({ track }) => {
      media.addTrack(track)
      element.srcObject = media
    })
    return this.#begin(url)
  }

  /** Ends it, and tells the server. */
  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    removeEventListener('pagehide', this.#leave)
    this.#connection.close()
    this.#leaveServer()
  }

  #leaveServer() {
    if (this.#resource !== '') void fetch(this.#resource, { method: 'DELETE', keepalive: true }).catch(() => {})
  }

  async #begin(url) {
    try {
      await this.#connect(url)
    } catch (error) {
      this.close()
      throw error
    }
  }

  async #connect(url) {
    const connection = this.#connection
    const offer = stereo(await connection.createOffer())
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': SDP }, body: offer.sdp })
    const text = await answer.text()
    if (!answer.ok) throw new Refused(answer.status, messageOf(text) || answer.statusText)
    this.#resource = resourceOf(answer)
    // It may have been closed while the server waited for the stream.
    if (this.#isClosed) return this.#leaveServer()
    const iceServers = iceServersOf(answer.headers.get('link') ?? '')
    if (iceServers.length > 0) connection.setConfiguration({ iceServers })
    // Candidates are looked for from here on, with the servers that the answer names.
    await connection.setLocalDescription(offer)
    await connection.setRemoteDescription({ type: 'answer', sdp: text })
    const used = connection.getTransceivers().find(({ currentDirection }) => /^(?:send|recv)/u.test(currentDirection))
    const transport = used?.sender.transport
    transport?.addEventListener('statechange', () => {
      if (transport.state === 'closed') this.#ended('the server has ended it')
    })
    this.#trickle(answer.headers.get('etag'))
  }

  /** Tells the server the candidates once all are found. It finds most peers without. */
  #trickle(etag) {
    const connection = this.#connection
    const tell = () => {
      if (this.#isClosed || connection.iceGatheringState !== 'complete') return
      const headers = { 'content-type': SDP_FRAGMENT, ...(etag && { 'if-match': etag }) }
      void fetch(this.#resource, { method: 'PATCH', headers, body: fragmentOf(connection.localDescription.sdp) }).catch(
        () => {},
      )
    }
    connection.addEventListener('icegatheringstatechange', tell)
    tell()
  }

  #ended(reason) {
    if (this.#isClosed) return
    this.close()
    this.#onEnd(reason)
  }
}

/** Where the session is, also where a proxy has the server below a path, of which the server knows nothing. */
function resourceOf({ headers, url }) {
  const location = headers.get('location')
  if (location === null) return ''
  const [, below = ''] = /^(.*)\/webrtc\/(?:push|play|whip|whep)\//u.exec(new URL(url).pathname) ?? []
  return new URL(location.startsWith('/webrtc/') ? below + location : location, url).href
}

/** The STUN and TURN servers of a `Link` header (RFC 9725 4.6). */
function iceServersOf(link) {
  return [...link.matchAll(/<([^>]+)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/gu)].flatMap(([, urls, attributes]) => {
    const valueOf = (name) => {
      const quoted = new RegExp(String.raw`;\s*${name}="((?:[^"\\]|\\.)*)"`, 'iu').exec(attributes)
      return quoted?.[1].replace(/\\(.)/gu, '$1')
    }
    if (valueOf('rel') !== 'ice-server') return []
    return [{ urls, username: valueOf('username'), credential: valueOf('credential') }]
  })
}

/** Sound of two channels is played as such only where the receiver asks for it (RFC 7587 7.1). */
function stereo({ type, sdp }) {
  return { type, sdp: sdp.replaceAll('useinbandfec=1', 'useinbandfec=1;stereo=1') }
}

/** The candidates of a description as a fragment (RFC 8840 9). */
function fragmentOf(sdp) {
  const lines = sdp.split('\r\n')
  const first = (start) => lines.find((line) => line.startsWith(start))
  const candidates = [...new Set(lines.filter((line) => line.startsWith('a=candidate:')))]
  const head = [first('a=ice-ufrag:'), first('a=ice-pwd:'), first('m='), first('a=mid:')]
  return [...head, ...candidates, 'a=end-of-candidates', ''].join('\r\n')
}

/** What the server says of a refusal, in its envelope or as text. */
function messageOf(text) {
  try {
    return String(JSON.parse(text).message ?? text)
  } catch {
    return text
  }
}
