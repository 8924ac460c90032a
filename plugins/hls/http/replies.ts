import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Subscriber } from 'sluice/sdk'
import { carrierOf } from 'sluice/sdk/http'
import type { ReadyReply } from './playlist-cache.ts'
import type { PresentationFile } from '../presentation/segment-window.ts'

/** A request and its response. */
export type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** A file that is complete. */
export type ReadyFile = Extract<PresentationFile, { readonly buffers: readonly Buffer[] }>

const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?<weight>[\d.]+)\s*)?(?:,|$)/iu

export function acceptsGzip({ headers }: IncomingMessage): boolean {
  const match = GZIP.exec(headers['accept-encoding'] ?? '')
  return match !== null && Number(match.groups?.['weight'] ?? 1) > 0
}

/** True when the client has closed its connection. */
export function hasLeft({ request }: HttpExchange): boolean {
  return carrierOf(request).destroyed
}

/** Returns an object that all requests over one connection share. */
export function connectionOf({ request }: HttpExchange): object {
  const session: unknown = Reflect.get(carrierOf(request), 'session')
  return typeof session === 'object' && session !== null ? session : request.socket
}

/** Sends a playlist, which is accounted to the viewer. */
export function sendReady(
  { request, response }: HttpExchange,
  { headers, body }: ReadyReply,
  subscriber: Pick<Subscriber, 'account'>,
): void {
  const varies = response.getHeader('vary')
  response.setHeader('vary', varies === undefined ? 'Accept-Encoding' : `${String(varies)}, Accept-Encoding`)
  response.writeHead(200, headers)
  if (request.method === 'HEAD') return void response.end()
  response.end(body)
  subscriber.account({ bytes: body.length })
}

export type FilePolicy = {
  readonly cacheControl: string
  /** The time after which a client that reads nothing is disconnected; 0 for never. */
  readonly stallMs: number
  /** The viewer, if it is known. */
  readonly subscriber: Pick<Subscriber, 'account'> | undefined
}

/** Sends a file; its buffers are shared by all clients that get it. */
export function sendFile({ request, response }: HttpExchange, file: ReadyFile, policy: FilePolicy): void {
  response.writeHead(200, {
    'content-type': file.contentType,
    'cache-control': policy.cacheControl,
    'content-length': file.sizeBytes,
  })
  if (request.method === 'HEAD') return void response.end()
  if (policy.stallMs > 0) response.setTimeout(policy.stallMs, cut)
  response.cork()
  for (const buffer of file.buffers) response.write(buffer)
  response.end()
  response.uncork()
  policy.subscriber?.account({ bytes: file.sizeBytes })
}

/** An answer without a body. */
export function sendStatus({ response }: HttpExchange, statusCode: number): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(statusCode, { 'cache-control': 'no-store', 'content-length': 0 }).end()
}

// Bytes that a client has not read would stay in memory as long as it is connected.
function cut(this: ServerResponse): void {
  this.destroy()
}
