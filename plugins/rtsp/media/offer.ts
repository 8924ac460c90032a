import type { Track } from 'sluice/sdk'
import { rtpFormatOfTrack, type RtpFormat } from 'sluice/sdk/media'

/** The first payload type that RFC 3551 leaves to be assigned by SDP. */
const FIRST_DYNAMIC_PAYLOAD_TYPE = 96

/** A track as it is offered to players: what makes it the same for them, whichever publisher it comes from. */
export type OfferedMedia = {
  readonly kind: Track['kind']
  readonly codec: Track['codec']
  readonly layer: string | undefined
  readonly language: string | undefined
  readonly format: RtpFormat
  /** What the player can't be told anew while it plays; empty where parameter sets go with the pictures. */
  readonly fixedConfig: string
}

/** What can be played of a stream by RTP, in the order of the session description: pictures first. */
export function offerOf(tracks: readonly Track[]): OfferedMedia[] {
  const ordered = tracks.toSorted((one, other) => placeOf(one) - placeOf(other))
  const offered: OfferedMedia[] = []
  for (const track of ordered) {
    const media = offeredMedia(track, FIRST_DYNAMIC_PAYLOAD_TYPE + offered.length)
    if (media !== undefined) offered.push(media)
  }
  return offered
}

/** What was offered of a track, by payload type: the same for all its players. */
const known = new WeakMap<Track, Map<number, OfferedMedia | undefined>>()

/** @param payloadType for formats that have none of their own */
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

/** Whether a player to whom the one was offered can be sent the other. */
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
