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
 * network has ended it.
 */
export class WebRtcSession {
  #connection = new RTCPeerConnection()
  #resource = ''
  #onEnd
  #isClosed = false
  #leave = () => this.close()

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
   * @throws {Refused}
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
   * @throws {Refused}
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
    const connection = this.#connection
    await connection.setLocalDescription(stereo(await connection.createOffer()))
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': SDP },
      body: connection.localDescription.sdp,
    })
    const text = await answer.text()
    const location = answer.headers.get('location')
    this.#resource = location === null ? '' : new URL(location, answer.url).href
    if (!answer.ok) throw new Refused(answer.status, messageOf(text) || answer.statusText)
    // It may have been closed while the server waited for the stream.
    if (this.#isClosed) return this.#leaveServer()
    await connection.setRemoteDescription({ type: 'answer', sdp: text })
    const used = connection.getTransceivers().find(({ currentDirection }) => /^(?:send|recv)/u.test(currentDirection))
    const transport = used?.sender.transport
    transport?.addEventListener('statechange', () => {
      if (transport.state === 'closed') this.#ended('the server has ended it')
    })
    this.#trickle(answer.headers.get('etag'))
  }

  /** Tells the server the candidates that were found after the offer. It finds most peers without. */
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
