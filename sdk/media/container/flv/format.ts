import type { AccessUnit } from '../../access-unit.ts'
import type { Muxer, MuxerFormat, MuxerStart } from '../../muxer.ts'
import { mainTracks, type Track } from '../../track.ts'
import { canCarryInFlv } from './carriage.ts'
import { serializeFlvFileHeader } from './file-header.ts'
import { serializeOnMetaData } from './script-data.ts'
import { flvConfigBody, flvTagType, flvUnitHeader, unitTimestampMs } from './tag-muxer.ts'
import { FLV_TAG_TYPE, serializeFlvTag } from './tag.ts'

class FlvMuxer implements Muxer {
  #main: readonly Track[] = []

  start({ tracks }: MuxerStart): Buffer {
    const main = mainTracks(tracks.filter(canCarryInFlv))
    this.#main = main
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
    const body = this.#main.includes(track) ? flvConfigBody(track) : null
    return body === null ? null : serializeFlvTag(flvTagType(track), timeMs, [body])
  }

  mux(unit: AccessUnit): Buffer | null {
    if (!this.#main.includes(unit.track)) return null
    return serializeFlvTag(flvTagType(unit.track), unitTimestampMs(unit), [flvUnitHeader(unit), unit.data])
  }
}

/**
 * An FLV file that begins anywhere in the stream: header, metadata and sequence headers, then tags with absolute time.
 * It has the main tracks alone, as players of FLV know one video and one audio track.
 */
export const FLV_FORMAT: MuxerFormat = { name: 'flv', carries: canCarryInFlv, createMuxer: () => new FlvMuxer() }
