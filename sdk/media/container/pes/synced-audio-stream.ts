import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import { AUDIO_SYNC, audioFrameConfig, readAudioFrame } from './audio-frame.ts'
import type { AudioFrame, SyncedAudioCodec } from './audio-frame.ts'
import { AudioTrackWriter } from './audio-track.ts'
import type { ElementaryStream, ElementaryStreamOptions } from './elementary-stream.ts'

/** The most places of one packet that are searched for the start of a frame, before the rest of it is dropped. */
const MAX_SYNC_ATTEMPTS = 100

/**
 * A stream of AAC with ADTS, MPEG audio, AC-3 or E-AC-3. A packet may hold several frames, and begin or end within one;
 * its time is that of the first frame that begins in it (ISO/IEC 13818-1 2.4.3.7).
 */
export class SyncedAudioStream implements ElementaryStream {
  readonly #codec: SyncedAudioCodec
  readonly #track: AudioTrackWriter
  /** The start of a frame that goes on in the next packet. */
  #rest: Buffer = Buffer.alloc(0)
  /** True when a frame has ended just before the next byte. */
  #inSync = false

  constructor(codec: SyncedAudioCodec, options: ElementaryStreamOptions) {
    this.#codec = codec
    this.#track = new AudioTrackWriter(codec, options)
  }

  write(data: Buffer, pts: number | undefined): void {
    const carriedBytes = this.#rest.length
    const bytes = carriedBytes === 0 ? data : Buffer.concat([this.#rest, data])
    this.#rest = Buffer.alloc(0)
    let time = pts
    let offset = 0
    let cutOff = -1
    for (let attempts = 0; attempts < MAX_SYNC_ATTEMPTS && offset >= 0;) {
      const frame = tryParse((all) => this.#frameAt(all, offset), bytes)
      if (frame) {
        if (time !== undefined && offset >= carriedBytes) {
          this.#track.moveTo(time)
          time = undefined
        }
        this.#inSync = true
        cutOff = -1
        this.#writeFrame(bytes.subarray(offset, offset + frame.sizeBytes), frame)
        offset += frame.sizeBytes
        continue
      }
      if (frame === null && cutOff < 0) cutOff = offset
      if (frame === null && this.#inSync) break
      // A header that looks like that of a long frame may be none, and whole frames may lie within it.
      if (frame === undefined && attempts === 0) this.#track.drop()
      attempts += 1
      this.#inSync = false
      offset = bytes.indexOf(AUDIO_SYNC[this.#codec], offset + 1)
    }
    if (cutOff >= 0) this.#rest = Buffer.from(bytes.subarray(cutOff))
  }

  interrupt(): void {
    this.#rest = Buffer.alloc(0)
    this.#inSync = false
    this.#track.loseTime()
  }

  lost(): void {
    this.#track.lost()
  }

  end(): void {
    this.#track.end()
  }

  /**
   * Reads the frame at `offset` with those that depend on it; null when it goes on after these bytes. Where no frame is
   * expected, another must follow it as proof.
   * @throws {MalformedError} when there is no frame.
   */
  #frameAt(bytes: Buffer, offset: number): AudioFrame | null {
    const frame = readAudioFrame(this.#codec, bytes, offset)
    if (!frame || offset + frame.sizeBytes > bytes.length) return null
    if (this.#inSync && this.#codec !== 'eac3') return frame
    let sizeBytes = frame.sizeBytes
    for (;;) {
      const next = readAudioFrame(this.#codec, bytes, offset + sizeBytes)
      if (!next?.dependent || offset + sizeBytes + next.sizeBytes > bytes.length) return { ...frame, sizeBytes }
      sizeBytes += next.sizeBytes
    }
  }

  #writeFrame(bytes: Buffer, { headerSizeBytes, samples, sampleRate, format, dependent }: AudioFrame): void {
    if (dependent) throw new MalformedError('E-AC-3 frame that depends on none')
    this.#track.configure(format, () => audioFrameConfig(this.#codec, bytes))
    if (bytes.length > headerSizeBytes) this.#track.write(bytes.subarray(headerSizeBytes), samples, sampleRate)
  }
}
