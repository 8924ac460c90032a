import type { Publisher, Track, TrackInit, UnitSink } from 'sluice/sdk'
import { FlvTagDemuxer, isAmfObject, type AmfValue } from 'sluice/sdk/media'
import { parseMessage, type Message } from './wire/message/message.ts'

/** Which kinds of track the source says it will send. */
type Expected = { readonly audio: boolean; readonly video: boolean }

/** Puts what an RTMP source sends into a publisher. */
export class RtmpIngest {
  readonly #publisher: Publisher
  readonly #demuxer: FlvTagDemuxer
  readonly #seen = { audio: false, video: false }
  #expected: Expected | undefined

  /** @param onUnsupported Told once of each codec that can't be carried. */
  constructor(publisher: Publisher, onUnsupported: (codecName: string) => void) {
    this.#publisher = publisher
    this.#demuxer = new FlvTagDemuxer(this.#sink(), onUnsupported)
  }

  /** Units that came before their track's sequence header or in a codec that can't be carried. */
  get dropped(): number {
    return this.#demuxer.dropped
  }

  /**
   * Takes a media or data message, or an aggregate of them; others are ignored.
   * @throws {MalformedError}
   */
  receive(message: Message, timestampMs: number): void {
    switch (message.kind) {
      case 'video':
        return this.#demuxer.video(timestampMs, message.payload)
      case 'audio':
        return this.#demuxer.audio(timestampMs, message.payload)
      case 'data':
        return this.#data(message.name, message.values)
      case 'aggregate':
        for (const raw of message.messages) {
          const inner = parseMessage(raw)
          if (inner !== null) this.receive(inner, raw.timestamp)
        }
    }
  }

  // The demuxer's way to the publisher, with an eye on which tracks have come.
  #sink(): UnitSink {
    const publisher = this.#publisher
    return {
      addTrack: (init: TrackInit): Track => {
        const track = publisher.addTrack(init)
        this.#seen[init.kind] = true
        this.#checkComplete()
        return track
      },
      configureTrack: (track, config) => publisher.configureTrack(track, config),
      removeTrack: (track) => publisher.removeTrack(track),
      write: (unit) => publisher.write(unit),
    }
  }

  #data(name: string, values: readonly AmfValue[]): void {
    const [event, payload] = name === '@setDataFrame' ? values : [name, values[0]]
    if (event !== 'onMetaData') return
    const metadata = plainMetadata(payload)
    if (metadata === undefined) return
    this.#expected = {
      video: 'videocodecid' in metadata || 'videodatarate' in metadata || 'width' in metadata,
      audio: 'audiocodecid' in metadata || 'audiodatarate' in metadata || 'audiosamplerate' in metadata,
    }
    this.#publisher.setMetadata(metadata)
    this.#checkComplete()
  }

  #checkComplete(): void {
    if (this.#expected === undefined) return
    const { audio, video } = this.#expected
    if ((audio || video) && (!audio || this.#seen.audio) && (!video || this.#seen.video)) {
      this.#publisher.tracksComplete()
    }
  }
}

function plainMetadata(value: AmfValue): Record<string, AmfValue> | undefined {
  if (value instanceof Map) return Object.fromEntries(value)
  return isAmfObject(value) ? { ...value } : undefined
}
