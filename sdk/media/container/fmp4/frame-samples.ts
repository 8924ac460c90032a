import { parseAc3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import { parseAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts'
import { aacSamplesPerFrame } from '../../codec/aac/config.ts'
import { parseFlacStreamInfo } from '../../codec/flac/stream-info.ts'
import { parseMp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import { opusPacketDuration } from '../../codec/opus/packet-duration.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { Fmp4AudioTrack } from './carriage.ts'

/**
 * Returns a function that counts the samples in a frame of a track, at the track's sample rate, as long as its
 * configuration stays. The function returns undefined for a frame that does not say.
 */
export function frameSamplesOf({ codec, config }: Fmp4AudioTrack): (frame: Buffer) => number | undefined {
  switch (codec) {
    case 'aac': {
      const samples = tryParse((record) => aacSamples(record, config.sampleRate), config.record)
      return () => samples
    }
    case 'flac': {
      const info = tryParse(parseFlacStreamInfo, config.record)
      const samples = info && info.minBlockSize === info.maxBlockSize ? info.maxBlockSize : undefined
      return () => samples
    }
    case 'opus':
      return (frame) => tryParse(opusPacketDuration, frame)
    case 'mp3':
      return (frame) => tryParse(parseMp3FrameHeader, frame)?.samplesPerFrame
    case 'ac3':
    case 'eac3':
      return (frame) => tryParse(parseAc3SyncFrame, frame)?.samplesPerFrame
    case 'pcma':
    case 'pcmu':
      return (frame) => Math.floor(frame.length / config.channels)
  }
}

/** The decoder's output has more samples than the core with SBR. */
function aacSamples(record: Buffer, sampleRate: number): number {
  const config = parseAudioSpecificConfig(record)
  return Math.round((aacSamplesPerFrame(config) * sampleRate) / config.sampleRate)
}
