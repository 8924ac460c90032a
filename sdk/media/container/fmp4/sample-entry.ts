import type { AudioTrack, Track, VideoTrack } from '../../track.ts'
import { uint16, uint32 } from './box.ts'
import type { Box } from './box.ts'
import { audioConfigBox, videoConfigBox } from './codec-boxes.ts'

const VIDEO_TYPES = { h264: 'avc1', h265: 'hvc1', av1: 'av01', vp9: 'vp09', vp8: 'vp08' } as const
/** MP3 as `mp4a` with its object type, as its `codecs` value says; G.711 by the names that QuickTime has for it. */
const AUDIO_TYPES = {
  aac: 'mp4a',
  mp3: 'mp4a',
  opus: 'Opus',
  flac: 'fLaC',
  ac3: 'ac-3',
  eac3: 'ec-3',
  pcma: 'alaw',
  pcmu: 'ulaw',
} as const

const DATA_REFERENCE_INDEX = 1
const RESOLUTION_72_DPI = 0x0048_0000
const COMPRESSOR_NAME_SIZE_BYTES = 32
const DEPTH = 0x0018
const PREDEFINED = 0xffff
const SAMPLE_SIZE_BITS = 16
const MAX_SAMPLE_RATE = 0xffff

/** The entry of `stsd` (ISO/IEC 14496-12 8.5.2). @throws as `videoConfigBox` and `audioConfigBox`. */
export function sampleEntry(track: Track): Box {
  return track.kind === 'video' ? videoEntry(track) : audioEntry(track)
}

/** 12.1.3. */
function videoEntry(track: VideoTrack): Box {
  const { width, height } = track.config
  return {
    type: VIDEO_TYPES[track.codec],
    contents: [
      Buffer.alloc(6),
      uint16(DATA_REFERENCE_INDEX),
      Buffer.alloc(16),
      uint16(width, height),
      uint32(RESOLUTION_72_DPI, RESOLUTION_72_DPI, 0),
      uint16(1),
      Buffer.alloc(COMPRESSOR_NAME_SIZE_BYTES),
      uint16(DEPTH, PREDEFINED),
    ],
    children: [videoConfigBox(track)],
  }
}

/** 12.2.3. Rates that the field has no room for are left to the codec's own box. */
function audioEntry(track: AudioTrack): Box {
  const { channels, sampleRate } = track.config
  const config = audioConfigBox(track)
  return {
    type: AUDIO_TYPES[track.codec],
    contents: [
      Buffer.alloc(6),
      uint16(DATA_REFERENCE_INDEX),
      Buffer.alloc(8),
      uint16(channels, SAMPLE_SIZE_BITS, 0, 0),
      uint16(sampleRate > MAX_SAMPLE_RATE ? 0 : sampleRate, 0),
    ],
    children: config ? [config] : [],
  }
}
