import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkStreamPath, SluiceError, StreamRedirect, type SessionInit } from 'sluice/sdk'
import { requestClient, requestUrl } from 'sluice/sdk/http'

/** A live picture changes, and a kept one is for clients that may play its stream. */
const NO_STORE = { 'cache-control': 'no-store' } as const

/**
 * The stream that the rest of a route's path names.
 * @throws {InvalidRequest}
 */
export function streamPathOf({ params }: FastifyRequest): string {
  return checkStreamPath((params as Readonly<Record<string, string>>)['*'] ?? '')
}

/** The session of a request. */
export function sessionOf({ raw }: FastifyRequest, streamPath: string): SessionInit {
  const url = requestUrl(raw)
  const start = url.indexOf('?')
  return { streamPath, url, query: start < 0 ? '' : url.slice(start + 1), client: requestClient(raw) }
}

/** A signal that aborts when the client leaves before it is answered. */
export function signalOf({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once('close', () => leaving.abort(new Error('the client has left')))
  return leaving.signal
}

export function sendPicture(reply: FastifyReply, jpeg: Uint8Array): FastifyReply {
  return reply.headers(NO_STORE).type('image/jpeg').send(jpeg)
}

/** Answers errors with a text, as older clients expect (api.md 8.7). */
export function sendErrorText(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  // The host answers and logs unexpected errors.
  if (!(error instanceof SluiceError) || error instanceof StreamRedirect) throw error
  const headers = 'headers' in error ? (error.headers as Readonly<Record<string, string>>) : {}
  void reply
    .code(error.statusCode)
    .headers({ ...NO_STORE, ...headers })
    .type('text/plain; charset=utf-8')
    .send(error.message)
}

/** Answers errors of batches with the body of their answers (api.md 8.7). */
export function sendFailure(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  if (!(error instanceof SluiceError)) throw error
  void reply.code(error.statusCode).headers(NO_STORE).send({ success: false, message: error.message })
}
