import { BitReader } from '../../bits/bit-reader.ts'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { readProgramConfigElement, writeProgramConfigElement } from './program-config-element.ts'
import type { ProgramConfigElement } from './program-config-element.ts'
import { readSampleRate, writeSampleRate } from './sampling-frequency.ts'

/** The configuration of a decoder for a track of AAC (ISO/IEC 14496-3 1.6.2.1). */
export type AudioSpecificConfig = {
  /** The audio object type of the core: 2 is AAC-LC. */
  readonly objectType: number
  /** Samples a second of the core, which with SBR is half of the decoder's output. */
  readonly sampleRate: number
  /** 1 to 7 and 11 to 14 name a layout (table 1.19); with 0, `programConfig` describes it. */
  readonly channelConfiguration: number
  /** Frames of 960 samples instead of 1024 (480 instead of 512 for the low-delay types). */
  readonly shortFrames: boolean
  /** The samples by which the base layer of a scalable stream comes late. */
  readonly coreCoderDelay: number | undefined
  readonly programConfig: ProgramConfigElement | undefined
  /** The high-efficiency extensions; undefined when the configuration has no field for them. */
  readonly extension: AacExtension | undefined
}

/** Spectral band replication (SBR) and parametric stereo (PS), as 1.6.5 signals them. */
type AacExtension = {
  /** The extension comes before the core's type, or at the end, where old decoders do not look. */
  readonly signalling: 'hierarchical' | 'compatible'
  readonly sbr: boolean
  /** True with parametric stereo; undefined when the configuration does not say. */
  readonly ps: boolean | undefined
  /** Samples a second of the decoder's output. */
  readonly sampleRate: number
}

export const AAC_OBJECT_TYPE = { MAIN: 1, LC: 2, SSR: 3, LTP: 4, SBR: 5, LD: 23, PS: 29, ELD: 39 } as const

const TYPE_ESCAPE = 31
const SBR_SYNC = 0x2b7
const PS_SYNC = 0x548
/** The types with a configuration that ends with GASpecificConfig() and nothing else. */
const PLAIN_TYPES = new Set<number>([
  AAC_OBJECT_TYPE.MAIN,
  AAC_OBJECT_TYPE.LC,
  AAC_OBJECT_TYPE.SSR,
  AAC_OBJECT_TYPE.LTP,
])

/**
 * Parses a configuration of any type; of types other than Main, LC, SSR and LTP only what all have in common.
 * @throws {MalformedError} when it ends early or has a reserved value.
 */
export function parseAudioSpecificConfig(asc: Buffer): AudioSpecificConfig {
  const bits = new BitReader(asc)
  const config = readConfig(bits)
  if (!PLAIN_TYPES.has(config.objectType) || config.extension) return config
  return { ...config, extension: readCompatibleExtension(bits, config.sampleRate) }
}

/**
 * Reads past a configuration that begins at byte 0 of its reader and that other fields follow, so that extensions at its end
 * stay unknown.
 * @throws {MalformedError} also for types other than Main, LC, SSR and LTP: the end of their configuration is not found here
 */
export function skipAudioSpecificConfig(bits: BitReader): void {
  const { objectType } = readConfig(bits)
  if (!PLAIN_TYPES.has(objectType)) throw new MalformedError(`audio object type ${objectType} has no known end`)
}

function readConfig(bits: BitReader): AudioSpecificConfig {
  const firstType = readObjectType(bits)
  const sampleRate = readSampleRate(bits)
  const channelConfiguration = bits.readBits(4)
  const hierarchical = firstType === AAC_OBJECT_TYPE.SBR || firstType === AAC_OBJECT_TYPE.PS
  const before = hierarchical ? readHierarchicalExtension(bits, firstType) : undefined
  const objectType = hierarchical ? readObjectType(bits) : firstType
  const head = { objectType, sampleRate, channelConfiguration }
  const lowDelay = objectType === AAC_OBJECT_TYPE.LD || objectType === AAC_OBJECT_TYPE.ELD
  const plain = PLAIN_TYPES.has(objectType)
  const shortFrames = (plain || lowDelay) && bits.readFlag()
  if (!plain) return { ...head, shortFrames, coreCoderDelay: undefined, programConfig: undefined, extension: before }
  const coreCoderDelay = bits.readFlag() ? bits.readBits(14) : undefined
  bits.skipBits(1) // extensionFlag, which means nothing for these types
  const programConfig = channelConfiguration === 0 ? readProgramConfigElement(bits) : undefined
  return { ...head, shortFrames, coreCoderDelay, programConfig, extension: before }
}

function readObjectType(bits: BitReader): number {
  const type = bits.readBits(5)
  return type === TYPE_ESCAPE ? 32 + bits.readBits(6) : type
}

function readHierarchicalExtension(bits: BitReader, type: number): AacExtension {
  const ps = type === AAC_OBJECT_TYPE.PS ? true : undefined
  return { signalling: 'hierarchical', sbr: true, ps, sampleRate: readSampleRate(bits) }
}

function readCompatibleExtension(bits: BitReader, coreSampleRate: number): AacExtension | undefined {
  if (bits.bitsLeft < 16 || bits.readBits(11) !== SBR_SYNC) return undefined
  if (readObjectType(bits) !== AAC_OBJECT_TYPE.SBR) return undefined
  const sbr = bits.readFlag()
  const sampleRate = sbr ? readSampleRate(bits) : coreSampleRate
  const ps = sbr && bits.bitsLeft >= 12 && bits.readBits(11) === PS_SYNC ? bits.readFlag() : undefined
  return { signalling: 'compatible', sbr, ps, sampleRate }
}

/**
 * Serializes a configuration of Main, LC, SSR or LTP, with or without extensions.
 * @throws {MalformedError} for other types, of which not everything is known here.
 */
export function serializeAudioSpecificConfig(config: AudioSpecificConfig): Buffer {
  const { objectType, channelConfiguration, coreCoderDelay, programConfig, extension } = config
  if (!PLAIN_TYPES.has(objectType)) throw new MalformedError(`audio object type ${objectType} cannot be written`)
  const bits = new BitWriter()
  const hierarchical = extension?.signalling === 'hierarchical' ? extension : undefined
  bits.writeBits(hierarchical ? extensionType(hierarchical) : objectType, 5)
  writeSampleRate(bits, config.sampleRate)
  bits.writeBits(channelConfiguration, 4)
  if (hierarchical) {
    writeSampleRate(bits, hierarchical.sampleRate)
    bits.writeBits(objectType, 5)
  }
  bits.writeFlag(config.shortFrames)
  bits.writeFlag(coreCoderDelay !== undefined)
  if (coreCoderDelay !== undefined) bits.writeBits(coreCoderDelay, 14)
  bits.writeFlag(false) // extensionFlag
  if (programConfig) writeProgramConfigElement(bits, programConfig)
  if (extension?.signalling === 'compatible') writeCompatibleExtension(bits, extension)
  return bits.toBuffer()
}

function extensionType({ ps }: AacExtension): number {
  return ps === true ? AAC_OBJECT_TYPE.PS : AAC_OBJECT_TYPE.SBR
}

function writeCompatibleExtension(bits: BitWriter, { sbr, ps, sampleRate }: AacExtension): void {
  bits.writeBits(SBR_SYNC, 11)
  bits.writeBits(AAC_OBJECT_TYPE.SBR, 5)
  bits.writeFlag(sbr)
  if (!sbr) return
  writeSampleRate(bits, sampleRate)
  if (ps === undefined) return
  bits.writeBits(PS_SYNC, 11)
  bits.writeFlag(ps)
}
