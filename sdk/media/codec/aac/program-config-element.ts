import type { BitReader } from '../../bits/bit-reader.ts'
import type { BitWriter } from '../../bits/bit-writer.ts'

/** One channel, or a pair of them. */
type AacChannelElement = { readonly pair: boolean; readonly tag: number }

/** A channel layout of its own, program_config_element() (ISO/IEC 14496-3 4.4.1.1). */
export type ProgramConfigElement = {
  readonly tag: number
  readonly objectType: number
  readonly samplingFrequencyIndex: number
  readonly front: readonly AacChannelElement[]
  readonly side: readonly AacChannelElement[]
  readonly back: readonly AacChannelElement[]
  readonly lfeTags: readonly number[]
  readonly associatedDataTags: readonly number[]
  readonly coupling: readonly { readonly independentlySwitched: boolean; readonly tag: number }[]
  readonly monoMixdownTag: number | undefined
  readonly stereoMixdownTag: number | undefined
  /** matrix_mixdown_idx and, as the lowest bit, pseudo_surround_enable. */
  readonly matrixMixdown: number | undefined
  readonly comment: Buffer
}

/** The number of speakers in the layout. */
export function channelCountOf({ front, side, back, lfeTags }: ProgramConfigElement): number {
  const elements = [...front, ...side, ...back]
  return elements.reduce((count, element) => count + (element.pair ? 2 : 1), lfeTags.length)
}

export function readProgramConfigElement(bits: BitReader): ProgramConfigElement {
  const head = { tag: bits.readBits(4), objectType: bits.readBits(2), samplingFrequencyIndex: bits.readBits(4) }
  const [frontCount, sideCount, backCount] = [bits.readBits(4), bits.readBits(4), bits.readBits(4)]
  const [lfeCount, associatedDataCount, couplingCount] = [bits.readBits(2), bits.readBits(3), bits.readBits(4)]
  const mixdown = {
    monoMixdownTag: bits.readFlag() ? bits.readBits(4) : undefined,
    stereoMixdownTag: bits.readFlag() ? bits.readBits(4) : undefined,
    matrixMixdown: bits.readFlag() ? bits.readBits(3) : undefined,
  }
  const readElement = () => ({ pair: bits.readFlag(), tag: bits.readBits(4) })
  const elements = {
    front: times(frontCount, readElement),
    side: times(sideCount, readElement),
    back: times(backCount, readElement),
    lfeTags: times(lfeCount, () => bits.readBits(4)),
    associatedDataTags: times(associatedDataCount, () => bits.readBits(4)),
    coupling: times(couplingCount, () => ({ independentlySwitched: bits.readFlag(), tag: bits.readBits(4) })),
  }
  bits.alignToByte()
  const comment = Buffer.from(times(bits.readBits(8), () => bits.readBits(8)))
  return { ...head, ...elements, ...mixdown, comment }
}

function times<Value>(count: number, read: () => Value): Value[] {
  return Array.from({ length: count }, read)
}

export function writeProgramConfigElement(bits: BitWriter, element: ProgramConfigElement): void {
  const { front, side, back, lfeTags, associatedDataTags, coupling, comment } = element
  bits.writeBits(element.tag, 4)
  bits.writeBits(element.objectType, 2)
  bits.writeBits(element.samplingFrequencyIndex, 4)
  for (const list of [front, side, back]) bits.writeBits(list.length, 4)
  bits.writeBits(lfeTags.length, 2)
  bits.writeBits(associatedDataTags.length, 3)
  bits.writeBits(coupling.length, 4)
  writeOptional(bits, element.monoMixdownTag, 4)
  writeOptional(bits, element.stereoMixdownTag, 4)
  writeOptional(bits, element.matrixMixdown, 3)
  for (const { pair, tag } of [...front, ...side, ...back]) writeTag(bits, pair, tag)
  for (const tag of [...lfeTags, ...associatedDataTags]) bits.writeBits(tag, 4)
  for (const { independentlySwitched, tag } of coupling) writeTag(bits, independentlySwitched, tag)
  bits.alignToByte()
  bits.writeBits(comment.length, 8)
  for (const byte of comment) bits.writeBits(byte, 8)
}

function writeTag(bits: BitWriter, flag: boolean, tag: number): void {
  bits.writeFlag(flag)
  bits.writeBits(tag, 4)
}

function writeOptional(bits: BitWriter, value: number | undefined, count: number): void {
  bits.writeFlag(value !== undefined)
  if (value !== undefined) bits.writeBits(value, count)
}
