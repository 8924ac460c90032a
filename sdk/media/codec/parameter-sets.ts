import { BitReader } from '../bits/bit-reader.ts'
import {
  parseAvcDecoderConfigurationRecord,
  serializeAvcDecoderConfigurationRecord,
} from './h264/avc-decoder-configuration-record.ts'
import { h264Config, h264ConfigFromParameterSets } from './h264/config.ts'
import { H264_NALU_TYPE } from './h264/nalu-type.ts'
import { h265Config, h265ConfigFromParameterSets } from './h265/config.ts'
import {
  parseHevcDecoderConfigurationRecord,
  serializeHevcDecoderConfigurationRecord,
} from './h265/hevc-decoder-configuration-record.ts'
import { H265_NALU_TYPE } from './h265/nalu-type.ts'
import { tryParse } from './try-parse.ts'
import { MalformedError } from '../errors.ts'
import type { VideoConfig } from '../track.ts'

/** A stream may have 256 PPS; encoders use a few. */
const MAX_SETS = 32

/** The parameter sets that a stream has shown last. */
export class ParameterSets {
  readonly #codec: 'h264' | 'h265'
  #vps: readonly Buffer[] = []
  #sps: readonly Buffer[] = []
  #pps: readonly Buffer[] = []

  constructor(codec: 'h264' | 'h265') {
    this.#codec = codec
  }

  /** Returns true for a NAL unit type of a parameter set. */
  isSet(type: number): boolean {
    if (this.#codec === 'h264') return type === H264_NALU_TYPE.SPS || type === H264_NALU_TYPE.PPS
    return type >= H265_NALU_TYPE.VPS && type <= H265_NALU_TYPE.PPS
  }

  /** Returns true when a set of the same bytes is known. */
  has(set: Buffer): boolean {
    return [...this.#vps, ...this.#sps, ...this.#pps].some((known) => known.equals(set))
  }

  /**
   * Follows the sets of one access unit: with an SPS among them, they replace those before; a PPS alone replaces that
   * of its id.
   * @returns whether something is new.
   */
  update(sets: readonly { readonly type: number; readonly nalu: Buffer }[]): boolean {
    if (sets.every(({ nalu }) => this.has(nalu))) return false
    const ofType = (wanted: number) => distinct(sets.filter(({ type }) => type === wanted).map(({ nalu }) => nalu))
    const types = this.#codec === 'h264' ? H264_NALU_TYPE : H265_NALU_TYPE
    const vps = this.#codec === 'h265' ? ofType(H265_NALU_TYPE.VPS) : []
    const sps = ofType(types.SPS)
    const pps = ofType(types.PPS)
    if (vps.length > 0) this.#vps = vps
    if (sps.length > 0) this.#sps = sps
    const kept =
      sps.length > 0 && pps.length > 0 ? [] : this.#pps.filter((old) => !pps.some((set) => this.#sameId(old, set)))
    this.#pps = [...kept, ...pps].slice(-MAX_SETS)
    return true
  }

  /**
   * The configuration that they make; undefined as long as one is missing.
   * @throws {MalformedError} when they cannot be parsed.
   */
  config(): VideoConfig | undefined {
    const [vps] = this.#vps
    const [sps] = this.#sps
    const [pps] = this.#pps
    if (!sps || !pps) return undefined
    if (this.#codec === 'h264') return this.#withAllH264(h264ConfigFromParameterSets(sps, pps))
    return vps && this.#withAllH265(h265ConfigFromParameterSets(vps, sps, pps))
  }

  /** The configuration as `config` gives it; undefined as well when they cannot be parsed. */
  tryConfig(): VideoConfig | undefined {
    try {
      return this.config()
    } catch (error) {
      if (error instanceof MalformedError) return undefined
      throw error
    }
  }

  #withAllH264(config: VideoConfig): VideoConfig {
    if (this.#sps.length + this.#pps.length === 2) return config
    const record = parseAvcDecoderConfigurationRecord(config.record)
    return h264Config(serializeAvcDecoderConfigurationRecord({ ...record, sps: this.#sps, pps: this.#pps }))
  }

  #withAllH265(config: VideoConfig): VideoConfig {
    const all = [this.#vps, this.#sps, this.#pps]
    if (all.every((sets) => sets.length === 1)) return config
    const record = parseHevcDecoderConfigurationRecord(config.record)
    const arrays = record.arrays.map((array, index) => ({ ...array, nalus: all[index]! }))
    return h265Config(serializeHevcDecoderConfigurationRecord({ ...record, arrays }))
  }

  /** The id is the first field of a PPS (ISO/IEC 14496-10 7.3.2.2, ISO/IEC 23008-2 7.3.2.3.1). */
  #sameId(one: Buffer, other: Buffer): boolean {
    const headerSizeBytes = this.#codec === 'h264' ? 1 : 2
    const idOf = (pps: Buffer) => tryParse((bytes) => new BitReader(bytes).readUe(), pps.subarray(headerSizeBytes))
    return idOf(one) === idOf(other)
  }
}

/** The first sets that differ: some senders put the same one into a unit twice. */
function distinct(sets: readonly Buffer[]): Buffer[] {
  const found: Buffer[] = []
  for (const set of sets) {
    if (found.length === MAX_SETS) break
    if (!found.some((other) => other.equals(set))) found.push(set)
  }
  return found
}
