import type { Track } from 'sluice/sdk'
import { checkedUri, decimal, integer, quoted } from './attribute.ts'
import type { Addressing } from './media-playlist.ts'

/** A multivariant playlist of HTTP Live Streaming: the renditions of one presentation (draft-pantos-hls-rfc8216bis). */
export type MultivariantPlaylist = {
  /** EXT-X-VERSION. */
  readonly version: number
  readonly independentSegments: boolean
  readonly variants: readonly Variant[]
  readonly audio: readonly AudioRendition[]
}

/** EXT-X-STREAM-INF. */
export type Variant = {
  readonly uri: string
  /** Peak, in bits a second, with the rendition of `audioGroup` that needs most. */
  readonly bandwidth: number
  readonly averageBandwidth?: number
  /** RFC 6381, of all tracks that the variant plays, with commas between. */
  readonly codecs?: string
  /** The width in pixels; RESOLUTION is written if both are given. */
  readonly width?: number
  readonly height?: number
  /** Frames a second. */
  readonly frameRate?: number
  /** The `groupId` of the audio renditions that go with it. */
  readonly audioGroup?: string
}

/** EXT-X-MEDIA of type AUDIO. */
export type AudioRendition = {
  readonly groupId: string
  /** The name that a player shows; unique within the group. */
  readonly name: string
  /** RFC 5646. */
  readonly language?: string
  readonly default: boolean
  readonly autoselect: boolean
  /** Count of channels, for example `2`. */
  readonly channels?: string
  /** Absent if the sound is in the variant's own segments. */
  readonly uri?: string
}

const asItIs: Addressing = (uri) => uri

/**
 * The text of a multivariant playlist. `address` is called for each URI.
 * @throws RangeError if a value can't be written as it is: a URI or text that would break its line or its quotes, a
 * number that isn't one.
 */
export function serializeMultivariantPlaylist(playlist: MultivariantPlaylist, address: Addressing = asItIs): string {
  let text = `#EXTM3U\n#EXT-X-VERSION:${integer(playlist.version)}\n`
  if (playlist.independentSegments) text += '#EXT-X-INDEPENDENT-SEGMENTS\n'
  for (const rendition of playlist.audio) text += audioLine(rendition, address)
  for (const variant of playlist.variants) text += variantLines(variant, address)
  return text
}

function audioLine(rendition: AudioRendition, address: Addressing): string {
  const { language, channels, uri } = rendition
  const attributes = ['TYPE=AUDIO', `GROUP-ID=${quoted(rendition.groupId)}`, `NAME=${quoted(rendition.name)}`]
  if (language !== undefined) attributes.push(`LANGUAGE=${quoted(language)}`)
  attributes.push(`DEFAULT=${yesOrNo(rendition.default)}`, `AUTOSELECT=${yesOrNo(rendition.autoselect)}`)
  if (channels !== undefined) attributes.push(`CHANNELS=${quoted(channels)}`)
  if (uri !== undefined) attributes.push(`URI="${checkedUri(address(uri))}"`)
  return `#EXT-X-MEDIA:${attributes.join(',')}\n`
}

function variantLines(variant: Variant, address: Addressing): string {
  const { averageBandwidth, codecs, width, height, frameRate, audioGroup } = variant
  const attributes = [`BANDWIDTH=${integer(variant.bandwidth)}`]
  if (averageBandwidth !== undefined) attributes.push(`AVERAGE-BANDWIDTH=${integer(averageBandwidth)}`)
  if (codecs !== undefined) attributes.push(`CODECS=${quoted(codecs)}`)
  if (width !== undefined && height !== undefined) attributes.push(`RESOLUTION=${integer(width)}x${integer(height)}`)
  if (frameRate !== undefined) attributes.push(`FRAME-RATE=${decimal(frameRate, 3)}`)
  if (audioGroup !== undefined) attributes.push(`AUDIO=${quoted(audioGroup)}`)
  return `#EXT-X-STREAM-INF:${attributes.join(',')}\n${checkedUri(address(variant.uri))}\n`
}

const yesOrNo = (value: boolean) => (value ? 'YES' : 'NO')

/**
 * Returns the part of a multivariant playlist's CODECS for a track. It is the configuration's `codecString`, except for the names that
 * players of HLS expect in another form: MP3 is an object type of MPEG-4 audio, whatever the container, and FLAC is as its sample entry.
 */
export function codecsOf({ codec, config }: Track): string {
  if (codec === 'mp3') return 'mp4a.40.34'
  if (codec === 'flac') return 'fLaC'
  return config.codecString
}
