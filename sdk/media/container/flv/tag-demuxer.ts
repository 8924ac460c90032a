import { AccessUnit } from '../../access-unit.ts'
import type { AmfObject } from '../../amf/value.ts'
import { joinLengthPrefixed } from '../../codec/nalu.ts'
import { isLengthPrefixed, recoverNalus } from '../../codec/recovered-nalus.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import type { Track, TrackInit } from '../../track.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { parseAudioBody } from './audio-body.ts'
import type { FlvAudioPacket } from './audio-body.ts'
import { showsKeyframe } from './keyframe.ts'
import { onMetaDataFields, parseScriptData } from './script-data.ts'
import { readAudioFrame, readAudioHeader, readKeyframe, readVideoHeader } from './sequence-header.ts'
import { FLV_TIMESCALE } from './tag-muxer.ts'
import { parseVideoBody } from './video-body.ts'
import type { FlvVideoCodec } from './four-cc.ts'
import type { FlvUnsupportedPacket, FlvVideoPacket } from './video-body.ts'

/** Tracks of one stream; one of another codec takes the place of the one before. */
export const FLV_MAX_TRACKS = 32

/** Names kept of codecs that no track can have; a peer could make up any number. */
const MAX_UNSUPPORTED_CODECS = 16

/** The state of one kind and track id. */
type DemuxedTrack = {
  track: Track
  /** The sequence header as it came; empty where there was none. */
  header: Buffer
  naluLengthSizeBytes: number
}

/**
 * Turns the bodies of FLV tags, which are the payloads of RTMP's audio, video and data messages too, into tracks and
 * units. Bodies are taken over: units are views into them.
 *
 * A repeated sequence header does nothing, another of the same codec reconfigures the track, and one of another codec
 * replaces the track. Each track id of a multitrack tag is a track; those above 0 have it as their layer.
 */
export class FlvTagDemuxer {
  readonly #sink: UnitSink
  readonly #tracks = new Map<number, DemuxedTrack>()
  readonly #onUnsupported: (codecName: string) => void
  readonly #unsupportedCodecs = new Set<string>()
  #hasAudio = false
  #hasVideo = false
  #droppedUnits = 0
  #metadata: AmfObject | null = null

  /**
   * @param onUnsupported Called once for each codec that came and can't be carried, with its name or the number in its tags,
   *   such as `Speex` or `codec id 1`; for at most 16.
   */
  constructor(sink: UnitSink, onUnsupported: (codecName: string) => void = () => {}) {
    this.#sink = sink
    this.#onUnsupported = onUnsupported
  }

  /** Units without data, before their sequence header, or in a codec that no track can have. */
  get dropped(): number {
    return this.#droppedUnits
  }

  /** True once a track of sound was declared. */
  get hasAudio(): boolean {
    return this.#hasAudio
  }

  /** True once a track of pictures was declared. */
  get hasVideo(): boolean {
    return this.#hasVideo
  }

  /** The fields of the last `onMetaData`. */
  get metadata(): AmfObject | null {
    return this.#metadata
  }

  /** @throws {MalformedError} as `parseVideoBody`, for a broken sequence header, and for too many tracks. */
  video(timestampMs: number, body: Buffer): void {
    for (const packet of parseVideoBody(body)) {
      if (packet.type === 'codedFrames') this.#videoFrame(timestampMs, packet)
      else if (packet.type === 'sequenceStart') this.#videoHeader(packet)
      else if (packet.type === 'unsupported') this.#unsupported(packet)
    }
  }

  /** @throws {MalformedError} as `parseAudioBody`, for a broken sequence header, and for too many tracks. */
  audio(timestampMs: number, body: Buffer): void {
    for (const packet of parseAudioBody(body)) {
      if (packet.type === 'codedFrames') this.#audioFrame(timestampMs, packet)
      else if (packet.type === 'sequenceStart') this.#audioHeader(packet)
      else if (packet.type === 'unsupported') this.#unsupported(packet)
    }
  }

  /** @throws {MalformedError} when it isn't AMF0. */
  script(body: Buffer): void {
    this.#metadata = onMetaDataFields(parseScriptData(body)) ?? this.#metadata
  }

  /** Encoders without a configuration at hand send an empty one, and another later. */
  #videoHeader({ codec, trackId, data }: FlvVideoPacket): void {
    if (data.length === 0 || this.#isKnown(trackKey('video', trackId), codec, data)) return
    const setup = readVideoHeader(codec, data)
    if (!setup) return
    this.#declare({ kind: 'video', codec, config: setup.config, ...common(trackId) }, trackId, data)
    this.#tracks.get(trackKey('video', trackId))!.naluLengthSizeBytes = setup.naluLengthSizeBytes
  }

  #audioHeader(packet: FlvAudioPacket): void {
    const { codec, trackId, data } = packet
    if (data.length === 0 && codec !== 'opus') return
    if (this.#isKnown(trackKey('audio', trackId), codec, data)) return
    const config = readAudioHeader(packet)
    if (config) this.#declare({ kind: 'audio', codec, config, ...common(trackId) }, trackId, data)
  }

  #isKnown(key: number, codec: Track['codec'], header: Buffer): boolean {
    const known = this.#tracks.get(key)
    return known !== undefined && known.track.codec === codec && known.header.equals(header)
  }

  #videoFrame(timestampMs: number, packet: FlvVideoPacket): void {
    const { codec, trackId } = packet
    let known = this.#tracks.get(trackKey('video', trackId))
    const data = storedForm(codec, packet.data, known?.naluLengthSizeBytes ?? 4)
    const keyframe = packet.keyframe ?? showsKeyframe(codec, data)
    if (keyframe) known = this.#followKeyframe(packet, known) ?? known
    if (!known || known.track.codec !== codec || data.length === 0) {
      this.#droppedUnits += 1
      return
    }
    this.#sink.write(AccessUnit.fromData(known.track, timestampMs, timestampMs + packet.ctsMs, keyframe, data))
  }

  /** Declares or reconfigures the track when a keyframe shows something new; gives it then. */
  #followKeyframe({ codec, trackId, data }: FlvVideoPacket, known: DemuxedTrack | undefined): DemuxedTrack | undefined {
    const track = known?.track
    const current = track?.kind === 'video' && track.codec === codec ? track.config : undefined
    const config = readKeyframe(codec, data, current)
    if (!config || config === current) return undefined
    const header = current && known ? known.header : Buffer.alloc(0)
    return this.#declare({ kind: 'video', codec, config, ...common(trackId) }, trackId, header)
  }

  #audioFrame(timestampMs: number, packet: FlvAudioPacket): void {
    const { codec, trackId, data } = packet
    let known = this.#tracks.get(trackKey('audio', trackId))
    if (known?.track.codec !== codec && data.length > 0) {
      const config = readAudioFrame(packet)
      known = config && this.#declare({ kind: 'audio', codec, config, ...common(trackId) }, trackId, Buffer.alloc(0))
    }
    if (!known || data.length === 0) {
      this.#droppedUnits += 1
      return
    }
    this.#sink.write(AccessUnit.fromData(known.track, timestampMs, timestampMs, true, data))
  }

  /** Adds a track, reconfigures the one that is there, or replaces it when the codec has changed. */
  #declare(init: TrackInit, trackId: number, header: Buffer): DemuxedTrack {
    const key = trackKey(init.kind, trackId)
    const known = this.#tracks.get(key)
    if (known?.track.codec === init.codec) {
      known.track = this.#sink.configureTrack(known.track, init.config)
      known.header = header
      return known
    }
    if (known) this.#sink.removeTrack(known.track)
    else if (this.#tracks.size === FLV_MAX_TRACKS) throw new MalformedError(`FLV: more than ${FLV_MAX_TRACKS} tracks`)
    const added = { track: this.#sink.addTrack(init), header, naluLengthSizeBytes: 4 }
    this.#tracks.set(key, added)
    if (init.kind === 'audio') this.#hasAudio = true
    else this.#hasVideo = true
    return added
  }

  #unsupported({ codecName }: FlvUnsupportedPacket): void {
    this.#droppedUnits += 1
    if (this.#unsupportedCodecs.has(codecName) || this.#unsupportedCodecs.size === MAX_UNSUPPORTED_CODECS) return
    this.#unsupportedCodecs.add(codecName)
    this.#onUnsupported(codecName)
  }
}

/** Track ids are one byte, and counted apart for audio and video. */
function trackKey(kind: Track['kind'], trackId: number): number {
  return kind === 'video' ? trackId : 0x100 + trackId
}

function common(trackId: number): { readonly timescale: number; readonly layer?: string } {
  return trackId === 0 ? { timescale: FLV_TIMESCALE } : { timescale: FLV_TIMESCALE, layer: String(trackId) }
}

/** The form that `AccessUnit.fromData` takes; empty where there is no picture in it. */
function storedForm(codec: FlvVideoCodec, data: Buffer, naluLengthSizeBytes: number): Buffer {
  if (codec === 'av1') return withoutTemporalDelimiter(data)
  if (codec !== 'h264' && codec !== 'h265') return data
  if (naluLengthSizeBytes === 4 && isLengthPrefixed(data)) return data
  return joinLengthPrefixed(tryParse((bytes) => recoverNalus(bytes, naluLengthSizeBytes), data) ?? [])
}

/** AV1 units are stored without this OBU, which an encoder may leave in: type 2, with a size of 0. */
function withoutTemporalDelimiter(data: Buffer): Buffer {
  return data[0] === 0x12 && data[1] === 0 ? data.subarray(2) : data
}
