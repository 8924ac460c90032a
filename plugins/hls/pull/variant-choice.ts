import type { SourceAudio, SourceVariant, SourceVariants } from '../wire/source-playlist.ts'
import { SourceError } from './source-error.ts'

/** The beginnings of `CODECS` values of pictures and of sound that a stream can carry. */
const VIDEO = ['avc1', 'avc3', 'hvc1', 'hev1', 'dvh1', 'dvhe', 'av01', 'vp09']
const AUDIO = ['mp4a', 'mp3', 'opus', 'ac-3', 'ec-3', 'flac']

/** The variant of a multivariant playlist that is pulled, with its sound. */
export type Choice = { readonly variant: SourceVariant; readonly audio: SourceAudio | undefined }

/**
 * Chooses the variant of the highest bandwidth (of the same, the highest picture) with codecs that can all be carried; one with video
 * before one without, as far as the playlist contains that. Its audio is the default of its group, or the first.
 * @throws {SourceError} when there is none
 */
export function chooseVariant({ variants, audio }: SourceVariants): Choice {
  const [variant] = variants
    .filter(({ codecs }) => codecs.every((codec) => isOneOf(codec, [...VIDEO, ...AUDIO])))
    .toSorted((a, b) => rank(b) - rank(a) || b.bandwidth - a.bandwidth || b.height - a.height)
  if (variant === undefined) {
    const codecs = [...new Set(variants.flatMap(({ codecs }) => codecs))].slice(0, 8).join(', ')
    throw new SourceError(`no variant of the source can be carried; there are ${codecs || 'none'}`, { fatal: true })
  }
  const group = audio.filter((rendition) => rendition.group === variant.audioGroup)
  return { variant, audio: group.find(({ isDefault }) => isDefault) ?? group[0] }
}

function rank({ codecs, height }: SourceVariant): number {
  return height > 0 || codecs.length === 0 || codecs.some((codec) => isOneOf(codec, VIDEO)) ? 1 : 0
}

function isOneOf(codec: string, known: readonly string[]): boolean {
  return known.some((start) => codec.toLowerCase().startsWith(start))
}
