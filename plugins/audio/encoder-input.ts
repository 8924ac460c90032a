import type { AccessUnit, AudioTrack } from 'sluice/sdk'
import { canCarryInTs, FLV_FORMAT, TS_CLOCK_LEAD_TICKS, TsMuxer } from 'sluice/sdk/media'

/** The form in which sound goes into ffmpeg. */
export type EncoderInput = {
  /** ffmpeg's name of it. */
  readonly format: 'mpegts' | 'flv'
  /** The delay of its times against those of the units, in ticks of 90 kHz. */
  readonly leadTicks: number
  /** The bytes before all units. */
  readonly head: Buffer
  /** Returns the bytes of a unit. */
  mux(unit: AccessUnit): Buffer
}

/** True for a track that ffmpeg can be given. */
export function canEncode(track: AudioTrack): boolean {
  return isG711(track) ? FLV_FORMAT.carries?.(track) !== false : canCarryInTs(track)
}

/** MPEG-TS, which has all codecs but G.711 as far as ffmpeg knows; that goes as FLV. */
export function encoderInput(track: AudioTrack): EncoderInput {
  if (isG711(track)) {
    const muxer = FLV_FORMAT.createMuxer()
    const head = muxer.start({ tracks: [track], metadata: {} })
    return { format: 'flv', leadTicks: 0, head, mux: (unit) => muxer.mux(unit) ?? Buffer.alloc(0) }
  }
  const muxer = new TsMuxer()
  muxer.setTracks([track])
  return {
    format: 'mpegts',
    leadTicks: TS_CLOCK_LEAD_TICKS,
    head: muxer.tables(),
    mux: (unit) => muxer.mux(unit),
  }
}

function isG711({ codec }: AudioTrack): boolean {
  return codec === 'pcma' || codec === 'pcmu'
}
