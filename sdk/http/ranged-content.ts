import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { parseByteRange, type ByteRange } from './byte-range.ts'
import { attachmentDisposition } from './content-disposition.ts'

const PARTIAL_CONTENT = 206
const RANGE_NOT_SATISFIABLE = 416

/** A body of a known size of which any part can be had, such as a file. */
export interface RangedContent {
  /** The media type. */
  readonly type: string
  readonly sizeBytes: number
  /** Names the content, with its quotes (RFC 9110 8.8.3): as long as it stays, so do all bytes. Undefined where nothing is known. */
  readonly etag?: string | undefined
  /** The date of the last change, in milliseconds since 1970. */
  readonly modifiedMs?: number | undefined
  /**
   * Reads a part. A reader that stops early calls `return`, and the content then closes what it has open. An error ends the
   * answer, and its client sees that it is not whole.
   */
  read(range: ByteRange): AsyncIterable<Buffer>
}

/** The further headers of an answer with content. */
export type RangedAnswer = {
  /** The name under which clients save it, see {@link attachmentDisposition}. */
  readonly fileName?: string
}

/**
 * Answers a `GET` or `HEAD` with content, or with the part of it that the request asks for (RFC 9110 14): 200, 206, or 416
 * where it has no such part. Several parts at once are answered with the whole. With `If-Range`, there is a part only while
 * the client's copy has the same content. Nothing is read ahead of the client; when it leaves, reading ends. The route must
 * be one for `GET` and `HEAD`; further headers of the answer are to be set before.
 */
export function sendRanged(reply: FastifyReply, content: RangedContent, { fileName }: RangedAnswer = {}): FastifyReply {
  const { etag, sizeBytes, modifiedMs, type } = content
  const modified = modifiedMs === undefined ? undefined : new Date(modifiedMs).toUTCString()
  const { method, headers } = reply.request
  reply.headers({
    'accept-ranges': 'bytes',
    ...(etag !== undefined && { etag }),
    ...(modified !== undefined && { 'last-modified': modified }),
  })
  const asked = method === 'GET' && isKnown(headers['if-range'], etag, modified) ? headers.range : undefined
  const range = parseByteRange(asked, sizeBytes)
  if (range === null) {
    return reply.code(RANGE_NOT_SATISFIABLE).header('content-range', `bytes */${sizeBytes}`).send()
  }
  if (fileName !== undefined) reply.header('content-disposition', attachmentDisposition(fileName))
  if (range !== undefined) {
    reply.code(PARTIAL_CONTENT).header('content-range', `bytes ${range.first}-${range.last}/${sizeBytes}`)
  }
  const whole = { first: 0, last: sizeBytes - 1 }
  const { first, last } = range ?? whole
  reply.header('content-length', last + 1 - first).type(type)
  const isEmpty = method === 'HEAD' || sizeBytes === 0
  return reply.send(Readable.from(isEmpty ? [] : content.read({ first, last }), { highWaterMark: 1 }))
}

/** Returns true when `If-Range` names the present content (RFC 9110 13.1.5): by a strong tag, or by the exact date. */
function isKnown(ifRange: string | string[] | undefined, etag: string | undefined, modified: string | undefined) {
  if (ifRange === undefined) return true
  return ifRange === etag ? !etag.startsWith('W/') : ifRange === modified
}
