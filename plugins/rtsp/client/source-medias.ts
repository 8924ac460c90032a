import { sdpAttribute, type MediaDescription, type SessionDescription } from 'sluice/sdk/media'

/** Directions of a media (RFC 8866 6.7); of several the first that is named counts. */
const DIRECTIONS = ['sendonly', 'recvonly', 'sendrecv', 'inactive'] as const

type Direction = (typeof DIRECTIONS)[number]

/**
 * The medias that a source sends, of a description that was asked for without a back channel. Sources disagree on what
 * `sendonly` says: by RFC 8866 that they send, by ONVIF (Streaming Specification 5.3) that the client does. Sound is taken
 * for the way back to the source only where other medias show which of the two is meant: sound that is `sendonly` beside
 * sound that is not, and sound that is `recvonly` beside pictures that are `sendonly`.
 */
export function sourceMedias({ media, attributes }: SessionDescription): readonly MediaDescription[] {
  const ofSession = directionOf(attributes)
  const directed = media.map((one) => ({ one, direction: directionOf(one.attributes) ?? ofSession }))
  const sounds = directed.filter(({ one }) => one.type === 'audio')
  const isLiteral = directed.some(({ one, direction }) => one.type === 'video' && direction === 'sendonly')
  const isOnvif = sounds.some(({ direction }) => direction !== 'sendonly' && direction !== 'inactive')
  const back: Direction | undefined = isLiteral ? 'recvonly' : isOnvif ? 'sendonly' : undefined
  return directed
    .filter(({ one, direction }) => one.type !== 'audio' || back === undefined || direction !== back)
    .map(({ one }) => one)
}

function directionOf(attributes: MediaDescription['attributes']): Direction | undefined {
  return DIRECTIONS.find((direction) => sdpAttribute(attributes, direction) !== undefined)
}
