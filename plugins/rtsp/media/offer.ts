import type { Track } from 'sluice/sdk'
import { rtpFormatOfTrack, type RtpFormat } from 'sluice/sdk/media'

/** The first payload type that RFC 3551 leaves to be assigned by SDP. */
const FIRST_DYNAMIC_PAYLOAD_TYPE = 96

/** A track as it is offered to players, who can be sent the same media by any publisher. */
export type OfferedMedia = {
  readonly kind: Track['kind']
  readonly codec: Track['codec']
  readonly layer: string | undefined
  readonly language: string | undefined
  readonly format: RtpFormat
  /** The codec configuration that a player can't receive anew while it plays; empty for codecs with parameter sets in band. */
  readonly fixedConfig: string
}

/** The medias of a stream that RTP can carry, in the order of the session description: video first. */
export function offerOf(tracks: readonly Track[]): OfferedMedia[] {
  const ordered = tracks.toSorted((one, other) => placeOf(one) - placeOf(other))
  const offered: OfferedMedia[] = []
  for (const track of ordered) {
    const media = offeredMedia(track, FIRST_DYNAMIC_PAYLOAD_TYPE + offered.length)
    if (media !== undefined) offered.push(media)
  }
  return offered
}

/** The offers of each track by payload type, so that all players share them. */
const known = new WeakMap<Track, Map<number, OfferedMedia | undefined>>()

/** @param payloadType the payload type for formats without a static one */
export function offeredMedia(track: Track, payloadType: number): OfferedMedia | undefined {
  const byType = known.get(track) ?? new Map<number, OfferedMedia | undefined>()
  known.set(track, byType)
  if (!byType.has(payloadType)) byType.set(payloadType, createOffer(track, payloadType))
  return byType.get(payloadType)
}

function createOffer(track: Track, payloadType: number): OfferedMedia | undefined {
  const format = rtpFormatOfTrack(track, payloadType)
  if (format === undefined) return undefined
  const { kind, codec, layer, language } = track
  const fixedConfig = kind === 'audio' ? (format.parameters.get('config') ?? '') : ''
  return { kind, codec, layer, language, format, fixedConfig }
}

/** True when `one` was offered to a player and `other` can be sent for it. */
export function isSameMedia(one: OfferedMedia, other: OfferedMedia): boolean {
  const { clockRate, channels } = one.format
  return (
    one.codec === other.codec &&
    one.layer === other.layer &&
    one.fixedConfig === other.fixedConfig &&
    clockRate === other.format.clockRate &&
    channels === other.format.channels
  )
}

function placeOf({ kind }: Track): number {
  return kind === 'video' ? 0 : 1
}
