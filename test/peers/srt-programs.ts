import { playSrtByFfmpeg, publishSrtByFfmpeg } from './ffmpeg-srt.ts'
import type { FfmpegPlayOptions } from './ffmpeg-rtsp.ts'
import { playSrtByGstreamer, publishSrtByGstreamer } from './gstreamer-srt.ts'
import type { PeerFrame } from './rtsp.ts'
import { LiveTransmitPublisher, playSrtByLiveTransmit } from './srt-live-transmit.ts'
import type { SrtAddress } from './srt.ts'

/** The programs that publish and play by SRT. */
export const SRT_PROGRAMS = ['ffmpeg', 'GStreamer', 'srt-live-transmit'] as const

/** One of them. */
export type SrtProgram = (typeof SRT_PROGRAMS)[number]

const CODECS = { video: 'h264', audio: 'aac' } as const

/**
 * Lets a program publish a file as it is, of H.264 and AAC, at the speed of the clock. Resolves when it has ended.
 * @throws {Error} with what it says, when it is refused, or the other side ends it
 */
export async function publishSrt(program: SrtProgram, file: string, address: SrtAddress): Promise<void> {
  if (program === 'ffmpeg') await publishSrtByFfmpeg(file, address).succeed()
  else if (program === 'GStreamer') await publishSrtByGstreamer(file, address, CODECS).succeed()
  else await (await LiveTransmitPublisher.start(file, address)).done
}

/**
 * Lets a program play H.264 and AAC until the other side ends it, and returns what it got.
 * @throws {Error} with what it says, when it is refused, or nothing came
 */
export function playSrt(
  program: SrtProgram,
  address: SrtAddress,
  options: Pick<FfmpegPlayOptions, 'lossy'> = {},
): Promise<PeerFrame[]> {
  if (program === 'ffmpeg') return playSrtByFfmpeg(address, options)
  if (program === 'GStreamer') return playSrtByGstreamer(address, CODECS)
  return playSrtByLiveTransmit(address, options)
}
