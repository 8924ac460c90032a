import { SluiceError } from 'sluice/sdk'
import { failure, type Failure } from './envelope.ts'

export type ErrorReply = {
  readonly statusCode: number
  readonly body: Failure
  /** Nothing foresaw it: the client gets no detail, the log all of it. */
  readonly unexpected: boolean
}

/** Caches keep a 404 for minutes unless told otherwise: too long for a stream that begins in the next second. */
export const ERROR_HEADERS = { 'cache-control': 'no-store' } as const

/**
 * What a client is told about an error that a handler threw. Named errors of the sdk and errors with a `statusCode` of
 * 4xx, as fastify's own, show their message; all others are a plain 500.
 */
export function errorReply(error: unknown): ErrorReply {
  const statusCode = statusOf(error)
  const shown = error instanceof Error && (error instanceof SluiceError || statusCode < 500)
  const message = shown ? error.message : 'internal error'
  return { statusCode, body: failure(statusCode, message), unexpected: !shown }
}

function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !('statusCode' in error)) return 500
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode <= 599 ? statusCode : 500
}
