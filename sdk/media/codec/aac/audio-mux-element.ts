import { BitReader } from '../../bits/bit-reader.ts'
import { MalformedError } from '../../errors.ts'
import { readStreamMuxConfig } from './stream-mux-config.ts'
import type { StreamMuxConfig } from './stream-mux-config.ts'

/** Frames of AAC as LATM puts them together (ISO/IEC 14496-3 1.7.3.1). */
export type AudioMuxElement = {
  /** The configuration that holds, the one given or a newer one. */
  readonly mux: StreamMuxConfig
  /** Raw frames: views where they lie on byte boundaries. Empty ones are among them. */
  readonly frames: readonly Buffer[]
}

const FULL = 255

/**
 * Parses one AudioMuxElement().
 * @param mux the configuration that holds so far
 * @param muxConfigPresent the element says whether it has another, as it does where `cpresent` of `fmtp` is 1
 * @returns undefined when there is no configuration yet
 * @throws {MalformedError} when it ends early
 */
export function parseAudioMuxElement(
  bytes: Buffer,
  mux: StreamMuxConfig | undefined,
  muxConfigPresent: boolean,
): AudioMuxElement | undefined {
  const bits = new BitReader(bytes)
  const current = muxConfigPresent && !bits.readFlag() ? readStreamMuxConfig(bits) : mux
  if (!current) return undefined
  const frames: Buffer[] = []
  for (let left = current.subframeCount; left > 0; left -= 1) {
    frames.push(bits.readBytes(current.frameSizeBytes ?? readSlotSize(bits)))
  }
  return { mux: current, frames }
}

/** Reads a size that is coded as the sum of bytes: any number of 255, and a last one below 255. */
function readSlotSize(bits: BitReader): number {
  let sizeBytes = 0
  for (;;) {
    const byte = bits.readBits(8)
    sizeBytes += byte
    if (byte < FULL) return sizeBytes
    if (sizeBytes * 8 > bits.bitsLeft) throw new MalformedError(`LATM frame of more than ${sizeBytes} bytes is cut off`)
  }
}
