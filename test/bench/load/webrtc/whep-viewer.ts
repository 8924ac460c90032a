import { createRtpDepacketizer, parseRtpPacket } from 'sluice/sdk/media'
import { findMarkers, type Marker } from '../../media/marker.ts'
import type { LoadViewer } from '../load-viewer.ts'
import { ViewerCounts } from '../viewer-counts.ts'
import type { PeerLink } from './peer-link.ts'
import { ReceivedPackets } from './received-packets.ts'

const REPORT_INTERVAL_MS = 1000

export type WhepViewerInit = {
  readonly port: number
  readonly path: string
  /** Decrypt and read all, instead of only counting packets after the first keyframe. */
  readonly readsAll: boolean
}

/** Takes a stream by WHEP. It decrypts it to its first keyframe, and further if it is to; then it only counts packets. */
export class WhepViewer implements LoadViewer {
  firstKeyframeMs: number | undefined
  failure: string | undefined
  counts = new ViewerCounts()
  readonly #init: WhepViewerInit
  readonly #settled: (viewer: LoadViewer) => void
  readonly #startMs = performance.now()
  readonly #packets = new ReceivedPackets()
  #link: PeerLink | undefined
  #depacketizer: ReturnType<typeof createRtpDepacketizer> | undefined
  #payloadType = 0
  #nextNumber: number | undefined
  #reading = true
  #isStalled = false
  #reports: NodeJS.Timeout | undefined

  /** @param settled Called once: the first keyframe is there, or it has failed. */
  constructor(init: WhepViewerInit, settled: (viewer: LoadViewer) => void) {
    this.#init = init
    this.#settled = settled
    this.#play().catch((error: unknown) => this.#fail(String(error)))
  }

  beginWindow(): void {
    this.counts = this.counts.next()
    this.#packets.beginWindow()
  }

  /** What comes is not counted, and no report is sent. Checks are answered: it is there, and does nothing. */
  stall(): void {
    this.#isStalled = true
  }

  resume(): void {
    this.#isStalled = false
  }

  async #play(): Promise<void> {
    // werift takes a tenth of a second to load, and only those who play by WHEP need it.
    const { PeerLink } = await import('./peer-link.ts')
    const events = {
      packet: (packet: Buffer) => this.#receive(packet),
      failed: (reason: string) => this.#fail(reason),
    }
    const link = await PeerLink.open(events)
    this.#link = link
    const { port, path } = this.#init
    const headers = { 'content-type': 'application/sdp' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: link.offer })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`${response.status} ${text}`)
    const { format } = link.connect(text)
    this.#depacketizer = createRtpDepacketizer(format)
    this.#payloadType = format.payloadType
    this.#reports = setInterval(() => this.#report(), REPORT_INTERVAL_MS)
  }

  #receive(packet: Buffer): void {
    if (this.#isStalled || this.failure !== undefined) return
    this.counts.receivedBytes += packet.length
    if ((packet[1]! & 0x7f) !== this.#payloadType) return
    this.#packets.see(packet.readUInt32BE(8), packet.readUInt16BE(2))
    this.counts.lostPackets = this.#packets.lost
    if (this.#reading) this.#read(packet)
  }

  #read(packet: Buffer): void {
    try {
      const received = parseRtpPacket(this.#link!.decrypt(packet))
      const follows = this.#nextNumber === undefined || received.sequenceNumber === this.#nextNumber
      this.#nextNumber = (received.sequenceNumber + 1) & 0xffff
      for (const frame of this.#depacketizer!.push(received, follows)) {
        const marker = 'nalus' in frame ? findMarkers(Buffer.concat(frame.nalus))[0] : undefined
        this.#see(frame.keyframe, marker)
      }
    } catch (error) {
      this.#fail(String(error))
    }
  }

  #see(keyframe: boolean, marker: Marker | undefined): void {
    if (this.firstKeyframeMs === undefined) {
      if (!keyframe) return
      this.firstKeyframeMs = performance.now() - this.#startMs
      this.#reading = this.#init.readsAll
      this.#settled(this)
    }
    if (!this.#init.readsAll || marker === undefined) return
    this.counts.see(marker)
    this.counts.arrived(marker)
  }

  #report(): void {
    const reception = this.#packets.reception
    if (reception !== undefined && !this.#isStalled) this.#link?.report(reception)
  }

  #fail(reason: string): void {
    if (this.failure !== undefined) return
    this.failure = reason
    clearInterval(this.#reports)
    this.#link?.close()
    if (this.firstKeyframeMs === undefined) this.#settled(this)
  }
}
