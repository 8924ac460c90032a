import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import { frameBinaryMessage } from 'sluice/sdk/http'
import {
  FLV_TAG_TYPE,
  flvConfigBody,
  flvTagType,
  flvUnitHeader,
  isMainTrack,
  serializeFlvFileHeader,
  serializeFlvTag,
  serializeOnMetaData,
  unitTimestampMs,
} from 'sluice/sdk/media'

/**
 * An FLV file that begins anywhere in the stream: header, metadata and sequence headers, then tags with absolute time.
 * It has the main tracks alone, as players of FLV know one video and one audio track.
 */
class FlvMuxer implements Muxer {
  start({ tracks }: MuxerStart): Buffer {
    const main = tracks.filter(isMainTrack)
    const parts = [
      serializeFlvFileHeader({
        audio: main.some((track) => track.kind === 'audio'),
        video: main.some((track) => track.kind === 'video'),
      }),
      serializeFlvTag(FLV_TAG_TYPE.script, 0, [serializeOnMetaData(main)]),
    ]
    for (const track of main) {
      const config = this.configure(track, 0)
      if (config !== null) parts.push(config)
    }
    return Buffer.concat(parts)
  }

  configure(track: Track, timeMs: number): Buffer | null {
    const body = isMainTrack(track) ? flvConfigBody(track) : null
    return body === null ? null : serializeFlvTag(flvTagType(track), timeMs, [body])
  }

  mux(unit: AccessUnit): Buffer | null {
    if (!isMainTrack(unit.track)) return null
    return serializeFlvTag(flvTagType(unit.track), unitTimestampMs(unit), [flvUnitHeader(unit), unit.data])
  }
}

/** The same, each write as one WebSocket message. */
class FramedFlvMuxer extends FlvMuxer {
  frame(bytes: Buffer): Buffer {
    return frameBinaryMessage(bytes)
  }
}

export const FLV_FORMAT: MuxerFormat = { name: 'flv', createMuxer: () => new FlvMuxer() }

export const WS_FLV_FORMAT: MuxerFormat = { name: 'ws-flv', createMuxer: () => new FramedFlvMuxer() }
