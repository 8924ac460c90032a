import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BuiltFile } from './built-files.ts'
import { PAGE_HEADERS } from './page-policy.ts'

const IMMUTABLE = { ...PAGE_HEADERS, 'cache-control': 'public, max-age=31536000, immutable' }

/**
 * Answers with a file in a content coding that the client accepts, or with 304 where it has the file already. Browsers keep a file
 * whose name changes with its content, and ask again for any other.
 */
export function sendBuilt(file: BuiltFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { 'accept-encoding': accepted = '' } = request.headers
  const body = file.bodies.find(({ coding }) => coding === undefined || takesCoding(accepted, coding))
  reply.headers(file.isImmutable ? IMMUTABLE : PAGE_HEADERS)
  if (file.bodies.length > 1) reply.header('vary', 'accept-encoding')
  if (body?.coding !== undefined) reply.header('content-encoding', body.coding)
  reply.header('etag', body?.etag)
  return isKnown(request, body?.etag) ? reply.code(304).send() : reply.type(file.type).send(body?.bytes)
}

/** Returns true when the client has the content with this validator already. */
export function isKnown({ headers }: FastifyRequest, etag: string | undefined): boolean {
  const known = headers['if-none-match']?.split(',').map((text) => text.trim().replace(/^W\//u, '')) ?? []
  return known.some((text) => text === etag || text === '*')
}

function takesCoding(accepted: string, coding: string): boolean {
  const wish = accepted.split(',').find((text) => text.split(';', 1)[0]?.trim().toLowerCase() === coding)
  return wish !== undefined && !/;\s*q=0(?:\.0*)?\s*$/iu.test(wish)
}
