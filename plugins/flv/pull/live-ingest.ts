import type { Publisher } from 'sluice/sdk'
import { FLV_TAG_TYPE, FlvTagDemuxer, type FlvTag } from 'sluice/sdk/media'
import { ExpectedTracks } from './expected-tracks.ts'

/** The most bytes of metadata that are parsed in a second, as parsing blocks all else; repeated metadata is not counted. */
const METADATA_BYTES_PER_SECOND = 64 * 1024

/** Puts the tags of a live source into a publisher. */
export class LiveIngest {
  readonly #publisher: Publisher
  readonly #demuxer: FlvTagDemuxer
  readonly #expected = new ExpectedTracks()
  /** The last script tag that was read. */
  #script: Buffer | undefined
  /** The bytes of metadata that were parsed since `#scriptsSinceMs`. */
  #scriptBytes = 0
  #scriptsSinceMs = -Infinity
  #droppedData = 0
  #settled = false

  /** @param onUnsupported called once for each codec that can't be carried */
  constructor(publisher: Publisher, onUnsupported: (codecName: string) => void) {
    this.#publisher = publisher
    this.#demuxer = new FlvTagDemuxer(publisher, onUnsupported)
  }

  /** Units that came before their track's sequence header or in a codec that can't be carried. */
  get dropped(): number {
    return this.#demuxer.dropped
  }

  /** Script tags that were not read, as they were too large or too many. */
  get droppedData(): number {
    return this.#droppedData
  }

  /** @throws {MalformedError} */
  receive({ type, timestampMs, body }: FlvTag): void {
    if (type === FLV_TAG_TYPE.script) return this.#receiveScript(body)
    if (type === FLV_TAG_TYPE.video) this.#demuxer.video(timestampMs, body)
    else this.#demuxer.audio(timestampMs, body)
    if (this.#settled || !this.#expected.areComplete(this.#demuxer, timestampMs)) return
    this.#settled = true
    this.#publisher.tracksComplete()
  }

  #receiveScript(body: Buffer): void {
    if (this.#script?.equals(body) === true) return
    if (!this.#mayRead(body.length)) {
      this.#droppedData++
      return
    }
    this.#script = Buffer.from(body)
    const before = this.#demuxer.metadata
    this.#demuxer.script(body)
    const { metadata } = this.#demuxer
    if (metadata === null || metadata === before) return
    this.#expected.announce(metadata)
    this.#publisher.setMetadata({ ...metadata })
  }

  #mayRead(sizeBytes: number): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#scriptsSinceMs >= 1000) {
      this.#scriptsSinceMs = nowMs
      this.#scriptBytes = 0
    }
    if (this.#scriptBytes + sizeBytes > METADATA_BYTES_PER_SECOND) return false
    this.#scriptBytes += sizeBytes
    return true
  }
}
