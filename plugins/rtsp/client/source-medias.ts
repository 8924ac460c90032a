import { sdpAttribute, type MediaDescription, type SessionDescription } from 'sluice/sdk/media'

/** The directions of a media (RFC 8866 6.7); when a media names several, the first in this order counts. */
const DIRECTIONS = ['sendonly', 'recvonly', 'sendrecv', 'inactive'] as const

type Direction = (typeof DIRECTIONS)[number]

/**
 * Returns the medias that a source sends, by a description that was requested without a back channel. Sources disagree on the meaning of
 * `sendonly`: by RFC 8866 they send, by ONVIF (Streaming Specification 5.3) the client does. Audio is taken for a back channel only when
 * other medias show which of the two is meant: audio that is `sendonly` besides audio that is not, and audio that is `recvonly` besides
 * video that is `sendonly`.
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
