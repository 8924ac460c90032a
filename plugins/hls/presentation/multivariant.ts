import type { AudioTrack, Track } from 'sluice/sdk'
import type { LiveRendition } from './live-rendition.ts'
import type { PresentationTerms } from './presentation-terms.ts'
import { isIndependent, versionOf } from './rendition-playlist.ts'

import { segmentSizeBytes } from './segment.ts'
import type { Layout } from './track-plan.ts'
import { codecsOf, type MultivariantPlaylist } from '../wire/multivariant-playlist.ts'

const AUDIO_GROUP = 'audio'
/** The form of a language tag (RFC 5646 2.1); a track's language may be any text. */
const LANGUAGE_TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/iu

/** Builds the multivariant playlist from the renditions' current state. */
export function buildMultivariant(
  layout: Layout,
  all: readonly LiveRendition[],
  terms: PresentationTerms,
): MultivariantPlaylist {
  const renditions = (names: readonly string[]) => all.filter(({ name }) => names.includes(name))
  const audio = renditions(layout.audio)
  const video = renditions(layout.video)
  const isGrouped = all.length > 1 && audio.length > 0
  // The first audio rendition is the variant when there is no video; the others can replace it.
  const main = video.length > 0 ? video : audio.slice(0, 1)
  return {
    version: Math.max(...all.map((rendition) => versionOf(rendition.window.listed(), terms))),
    independentSegments: all.every(({ window }) => window.listed().every(isIndependent)),
    variants: main.map((rendition) => variantOf(rendition, isGrouped ? audio : [])),
    audio: isGrouped ? audio.map(audioRenditionOf) : [],
  }
}

function variantOf(rendition: LiveRendition, group: readonly LiveRendition[]) {
  const others = group.filter((other) => other !== rendition)
  const tracks = [...rendition.tracks, ...others.flatMap((other) => other.tracks)]
  const video = rendition.tracks.find((track) => track.kind === 'video')
  const own = bitrates(rendition)
  const rates = others.map(bitrates)
  const { width = 0, height = 0 } = video?.config ?? {}
  return {
    uri: playlistName(rendition),
    bandwidth: own.peak + Math.max(0, ...rates.map(({ peak }) => peak)),
    averageBandwidth: own.average + Math.max(0, ...rates.map(({ average }) => average)),
    ...codecAttribute(tracks),
    ...(width > 0 && height > 0 ? { width, height } : {}),
    ...(video ? { frameRate: rendition.pace.rate } : {}),
    ...(group.length > 0 ? { audioGroup: AUDIO_GROUP } : {}),
  }
}

function audioRenditionOf(rendition: LiveRendition, index: number) {
  const [track] = rendition.tracks
  const { language, label = language } = track ?? {}
  const name = label === undefined || label === '' ? `Audio ${index + 1}` : label
  return {
    groupId: AUDIO_GROUP,
    name,
    ...(language !== undefined && LANGUAGE_TAG.test(language) ? { language } : {}),
    default: index === 0,
    autoselect: true,
    ...(track ? { channels: String((track as AudioTrack).config.channels) } : {}),
    uri: playlistName(rendition),
  }
}

/** The codecs of a variant; left out as a whole when one is not known. */
function codecAttribute(tracks: readonly Track[]): { codecs?: string } {
  const codecs = new Set(tracks.map(codecsOf))
  return codecs.size === 0 || codecs.has('') ? {} : { codecs: [...codecs].join(',') }
}

/** The bitrates of the current segments in bits per second: the highest, and the average. */
function bitrates({ window }: LiveRendition): { peak: number; average: number } {
  const segments = window.listed().filter(({ complete, durationSeconds }) => complete && durationSeconds > 0)
  const sized = segments.map((segment) => ({ bits: segmentSizeBytes(segment) * 8, seconds: segment.durationSeconds }))
  const seconds = sized.reduce((sum, one) => sum + one.seconds, 0)
  const bits = sized.reduce((sum, one) => sum + one.bits, 0)
  const peak = Math.max(1, ...sized.map((one) => one.bits / one.seconds))
  return { peak: Math.ceil(peak), average: Math.max(1, Math.ceil(bits / Math.max(seconds, 1e-3))) }
}

function playlistName({ name }: LiveRendition): string {
  return `${name}.m3u8`
}
