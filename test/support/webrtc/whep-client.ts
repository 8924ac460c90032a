import { parseRtpPacket } from 'sluice/sdk/media'
import type { Answer } from '../../bench/load/webrtc/offer.ts'
import { PeerLink } from '../../bench/load/webrtc/peer-link.ts'
import { keep } from '../../peers/lifetime.ts'

export type WhepClientInit = {
  /** `http://host:port` of the server. */
  readonly origin: string
  /** `app/name`. */
  readonly target: string
  /** Takes the last packet of each picture, without its header. */
  readonly onPicture?: (bytes: Buffer) => void
  /** Changes the offer on its way. */
  readonly forge?: (offer: string) => string
}

/** Takes the video of a stream by WHEP, without a browser. It ends with the test. */
export class WhepClient {
  readonly #link: PeerLink
  readonly #onPicture: (bytes: Buffer) => void
  readonly #letGo: () => void
  #session = ''
  #etag = ''
  #answerText = ''
  #ssrc = 0
  #answer: Answer | undefined
  /** All that it sent but its requests. */
  readonly sent: Buffer[] = []
  packetCount = 0
  pictureCount = 0
  /** Whether the server has said good-bye. */
  isToldOfEnd = false

  static async play({ origin, target, onPicture = () => {}, forge = (offer) => offer }: WhepClientInit) {
    const link: PeerLink = await PeerLink.open({
      packet: (packet) => client.#receive(packet),
      failed: () => {},
      closed: () => (client.isToldOfEnd = true),
      sent: (datagram) => void client.sent.push(datagram),
    })
    const client = new WhepClient(link, onPicture)
    await client.#play(`${origin}/webrtc/whep/${target}`, forge(link.offer))
    return client
  }

  private constructor(link: PeerLink, onPicture: (bytes: Buffer) => void) {
    this.#link = link
    this.#onPicture = onPicture
    this.#letGo = keep({ close: () => link.vanish() })
  }

  get answer(): Answer {
    if (this.#answer === undefined) throw new Error('there is no answer yet')
    return this.#answer
  }

  /** Where the server takes connections of media. */
  get tcpPort(): number {
    return Number(/^a=candidate:\S+ 1 tcp \d+ 127\.0\.0\.1 (\d+)/imu.exec(this.#answerText)?.[1])
  }

  /** Changes or ends the session. */
  request(method: 'PATCH' | 'DELETE', body?: string): Promise<Response> {
    const headers = { 'content-type': 'application/trickle-ice-sdpfrag', 'if-match': this.#etag, connection: 'close' }
    return fetch(this.#session, { method, ...(body === undefined ? {} : { body }), headers })
  }

  /** Tells the server, encrypted, that nothing was lost. */
  report(): void {
    this.#link.report({ ssrc: this.#ssrc, highestSequence: this.packetCount, packetsLost: 0 })
  }

  /** Goes without a word. */
  vanish(): void {
    this.#letGo()
    this.#link.vanish()
  }

  async #play(url: string, body: string): Promise<void> {
    const headers = { 'content-type': 'application/sdp', connection: 'close' }
    const response = await fetch(url, { method: 'POST', headers, body })
    this.#answerText = await response.text()
    if (response.status !== 201) throw new Error(`${response.status} ${this.#answerText}`)
    this.#session = new URL(response.headers.get('location') ?? '', url).href
    this.#etag = response.headers.get('etag') ?? ''
    this.#answer = this.#link.connect(this.#answerText)
  }

  #receive(packet: Buffer): void {
    this.packetCount++
    const { marker, payload, payloadType, ssrc } = parseRtpPacket(this.#link.decrypt(packet))
    if (!marker || payloadType !== this.answer.format.payloadType) return
    this.pictureCount++
    this.#ssrc = ssrc
    this.#onPicture(payload)
  }
}
