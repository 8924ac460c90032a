import { ParameterSets } from '../../codec/parameter-sets.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { VideoConfig } from '../../track.ts'
import { splitAtStartCodes } from './start-code.ts'
import type { NaluSyntax } from './syntax.ts'

/** The parameter sets of a session description, and the configuration that they make. */
export type KnownSets = { readonly sets: ParameterSets; readonly config: VideoConfig | undefined }

/** A stream has a few, and each parameter of a session description has few of them. */
const MAX_SPROP_SETS = 32

/**
 * Reads parameter sets in Base64, with commas between them. Cameras send broken ones: where they make no configuration,
 * it is as if there were none.
 */
export function parseSprop(syntax: NaluSyntax, sprop = ''): KnownSets {
  const sets = new ParameterSets(syntax.codec)
  const texts = sprop.split(',', MAX_SPROP_SETS)
  const nalus = texts.flatMap((text) => tryParse(splitAtStartCodes, Buffer.from(text, 'base64')) ?? [])
  sets.update(nalus.map((nalu) => ({ type: syntax.typeOf(nalu), nalu })))
  const config = sets.tryConfig()
  // The size is 0 where the SPS cannot be read.
  return config === undefined || config.width === 0
    ? { sets: new ParameterSets(syntax.codec), config: undefined }
    : { sets, config }
}
