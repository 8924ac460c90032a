import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Subscriber } from 'sluice/sdk'
import { carrierOf } from 'sluice/sdk/http'
import type { ReadyReply } from './playlist-cache.ts'
import type { PresentationFile } from '../presentation/segment-window.ts'

/** A request and where its answer goes. */
export type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** A file that is there. */
export type ReadyFile = Extract<PresentationFile, { readonly buffers: readonly Buffer[] }>

const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?<weight>[\d.]+)\s*)?(?:,|$)/iu

export function acceptsGzip({ headers }: IncomingMessage): boolean {
  const match = GZIP.exec(headers['accept-encoding'] ?? '')
  return match !== null && Number(match.groups?.['weight'] ?? 1) > 0
}

/** Whether nobody is there any more to take an answer. */
export function hasLeft({ request }: HttpExchange): boolean {
  return carrierOf(request).destroyed
}

/** Gives an object that all requests over one connection have in common. */
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
  /** A client that takes nothing for so long is cut off; 0 is never. */
  readonly stallMs: number
  /** The viewer, where that is known. */
  readonly subscriber: Pick<Subscriber, 'account'> | undefined
}

/** Sends a file, whose buffers are shared with everybody else who gets it. */
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

// Bytes that a client has not taken would stay in memory as long as it is connected.
function cut(this: ServerResponse): void {
  this.destroy()
}
