import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'

/** Sources that one full intra request may name. */
export const RTCP_MAX_INTRA_REQUESTS = 64

const PICTURE_LOSS_INDICATION = 1
const FULL_INTRA_REQUEST = 4
const REQUEST_SIZE_BYTES = 8

/** Reports that pictures were lost, which asks for a keyframe (RFC 4585 6.3.1). */
export type PictureLossIndication = {
  readonly kind: 'pictureLossIndication'
  /** The SSRC of the receiver that sends the feedback. */
  readonly senderSsrc: number
  /** The SSRC of the source of the pictures. */
  readonly mediaSsrc: number
}

/** Asks sources for a keyframe (RFC 5104 4.3.1): entries of SSRC (32) | number of the request (8) | reserved (24). */
export type FullIntraRequest = {
  readonly kind: 'fullIntraRequest'
  readonly senderSsrc: number
  readonly requests: readonly {
    readonly ssrc: number
    /** 8 bits; the same one again repeats the request. */
    readonly sequenceNumber: number
  }[]
}

/** Feedback on the payload of another format (RFC 4585 6.3), for example 15 of an application, which REMB is. */
export type PayloadFeedback = {
  readonly kind: 'payloadFeedback'
  /** 0–31, but neither 1 nor 4. */
  readonly format: number
  readonly senderSsrc: number
  readonly mediaSsrc: number
  /** Whole words of 4 bytes; a view. */
  readonly data: Buffer
}

type AnyPayloadFeedback = PictureLossIndication | FullIntraRequest | PayloadFeedback

/** @throws {MalformedError} when it ends early, or has too many requests. */
export function parsePayloadFeedback({ count, body }: RawRtcpPacket): AnyPayloadFeedback {
  const reader = new ByteReader(body)
  const senderSsrc = reader.readUint(4)
  const mediaSsrc = reader.readUint(4)
  if (count === PICTURE_LOSS_INDICATION) return { kind: 'pictureLossIndication', senderSsrc, mediaSsrc }
  if (count === FULL_INTRA_REQUEST) return { kind: 'fullIntraRequest', senderSsrc, requests: readRequests(reader) }
  return { kind: 'payloadFeedback', format: count, senderSsrc, mediaSsrc, data: reader.readBytes(reader.bytesLeft) }
}

function readRequests(reader: ByteReader): FullIntraRequest['requests'] {
  if (reader.bytesLeft > RTCP_MAX_INTRA_REQUESTS * REQUEST_SIZE_BYTES) {
    throw new MalformedError(`full intra request with ${reader.bytesLeft} bytes of entries`)
  }
  const requests: FullIntraRequest['requests'][number][] = []
  while (reader.bytesLeft > 0) {
    requests.push({ ssrc: reader.readUint(4), sequenceNumber: reader.readUint(1) })
    reader.readBytes(3)
  }
  return requests
}

export function serializePayloadFeedback(feedback: AnyPayloadFeedback): RawRtcpPacket {
  const type = RTCP_TYPE.payloadFeedback
  switch (feedback.kind) {
    case 'pictureLossIndication':
      return { type, count: PICTURE_LOSS_INDICATION, body: ssrcs(feedback.senderSsrc, feedback.mediaSsrc) }
    case 'fullIntraRequest': {
      // The SSRC of the media is in the entries (RFC 5104 4.3.1.2).
      const body = Buffer.concat([ssrcs(feedback.senderSsrc, 0), serializeRequests(feedback.requests)])
      return { type, count: FULL_INTRA_REQUEST, body }
    }
    default: {
      const body = Buffer.concat([ssrcs(feedback.senderSsrc, feedback.mediaSsrc), feedback.data])
      return { type, count: feedback.format, body }
    }
  }
}

function ssrcs(senderSsrc: number, mediaSsrc: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeUInt32BE(mediaSsrc, bytes.writeUInt32BE(senderSsrc, 0))
  return bytes
}

function serializeRequests(requests: FullIntraRequest['requests']): Buffer {
  const bytes = Buffer.alloc(requests.length * REQUEST_SIZE_BYTES)
  for (const [index, { ssrc, sequenceNumber }] of requests.entries()) {
    bytes.writeUInt8(sequenceNumber, bytes.writeUInt32BE(ssrc, index * REQUEST_SIZE_BYTES))
  }
  return bytes
}
