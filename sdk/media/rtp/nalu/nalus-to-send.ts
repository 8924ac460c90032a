import type { AccessUnit } from '../../access-unit.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { NaluSyntax } from './syntax.ts'

/** Picks the NAL units that go out for a unit: no framing, and the parameter sets of the track before keyframes. */
export class NalusToSend {
  readonly #syntax: NaluSyntax
  #record: Buffer | undefined
  #sets: readonly Buffer[] = []

  constructor(syntax: NaluSyntax) {
    this.#syntax = syntax
  }

  /** @throws {MalformedError} when the unit cannot be cut into NAL units */
  of({ track, keyframe, nalus }: AccessUnit): readonly Buffer[] {
    const { headerSizeBytes, typeOf, isCarried, spsType } = this.#syntax
    const carried = nalus.filter((nalu) => nalu.length > headerSizeBytes && isCarried(typeOf(nalu)))
    if (!keyframe || track.kind !== 'video') return carried
    // The parameter sets within the unit hold then.
    if (carried.length === 0 || carried.some((nalu) => typeOf(nalu) === spsType)) return carried
    return [...this.#setsOf(track.config.record), ...carried]
  }

  #setsOf(record: Buffer): readonly Buffer[] {
    if (this.#record !== record) {
      this.#record = record
      this.#sets = tryParse(this.#syntax.parameterSetsOf, record) ?? []
    }
    return this.#sets
  }
}
