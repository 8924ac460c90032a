import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { SluiceError } from '../../errors/sluice-error.ts'
import { InvalidRequest, StreamDenied } from '../../errors/stream-errors.ts'
import type { PluginContext } from '../../plugin/context.ts'
import { CLIENT_LEFT } from '../../stream/close-reason.ts'
import type { SessionClient } from '../../stream/session-request.ts'
import type { Subscriber } from '../../stream/subscriber.ts'
import { carrierOf, decodePathPart, requestClient, requestUrl, type RoutedRequest } from '../request.ts'

/** The time for the bytes that are still queued for a viewer to reach it, before its connection is cut. */
const LINGER_MS = 2000

/** An output that viewers can request, by the ending of their addresses. */
type Offer<Accepted> = {
  readonly extension: string
  /** @throws {SluiceError} to refuse a subscriber */
  accept(subscriber: Subscriber): Accepted
}

/** A session that was let in, and the answer of `accept`. */
type Admitted<Accepted> = { readonly subscriber: Subscriber; readonly accepted: Accepted }

/** Asks for the stream that a request names; a client that leaves meanwhile ends the waiting. */
export async function subscribe<Accepted>(
  ctx: PluginContext<unknown>,
  offer: Offer<Accepted>,
  request: RoutedRequest,
): Promise<Admitted<Accepted>> {
  const { streamPath, query } = parseTarget(request.url ?? '/', offer.extension)
  const carrier = carrierOf(request)
  const client = requestClient(request)
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  carrier.once('close', leave)
  try {
    const subscriber = await ctx.streams.subscribe({
      streamPath,
      url: requestUrl(request),
      query,
      client,
      signal: leaving.signal,
    })
    return { subscriber, accepted: accepted(subscriber, offer) }
  } catch (error) {
    if (!carrier.destroyed) logRefusal(ctx, error, streamPath, client)
    throw error
  } finally {
    carrier.off('close', leave)
  }
}

/** Ties a subscriber's life to that of what carries it, and logs both ends. */
export function bind(
  ctx: PluginContext<unknown>,
  request: RoutedRequest,
  subscriber: Subscriber,
  end: () => void,
): void {
  const carrier = carrierOf(request)
  const log = ctx.log.child({ session: subscriber.id, stream: subscriber.streamPath })
  const { ip, port } = requestClient(request)
  log.info({ ip, port }, 'play')
  subscriber.onClose((reason) => {
    log.info({ reason: reason.text }, 'play ended')
    if (carrier.destroyed) return
    if (reason.code === 'slow') return cut(carrier)
    end()
    // Bytes that the viewer has not taken would keep its connection alive.
    const timer = setTimeout(() => cut(carrier), LINGER_MS)
    carrier.once('close', () => clearTimeout(timer))
  })
  const left = () => subscriber.close(CLIENT_LEFT)
  // A client of HTTP/2 ends its half of the stream with the request.
  if (carrier === request.socket) carrier.once('end', left)
  carrier.once('close', left)
  if (carrier.destroyed) left()
}

/** Logs the reason why a viewer is not let in. A denial is logged where it was decided, and an unexpected error where it is answered. */
function logRefusal(ctx: PluginContext<unknown>, error: unknown, streamPath: string, client: SessionClient): void {
  if (!(error instanceof SluiceError) || error instanceof StreamDenied) return
  const { ip, port } = client
  const stream = error instanceof InvalidRequest ? undefined : streamPath
  ctx.log.info({ stream, ip, port, reason: error.message }, 'play refused')
}

function accepted<Accepted>(subscriber: Subscriber, offer: Offer<Accepted>): Accepted {
  try {
    return offer.accept(subscriber)
  } catch (error) {
    subscriber.close('refused')
    throw error
  }
}

/**
 * Ends the carrier of a body at once. Where bytes of the body are left behind, it ends in another way than a proper end,
 * which the client sees.
 */
function cut(carrier: Duplex): void {
  if (carrier.writableFinished) carrier.destroy()
  else if (!(carrier instanceof Socket)) carrier.destroy(new Error('ended before its time'))
  // The end of TLS shows whether it is a proper one.
  else if (carrier instanceof TLSSocket) carrier.destroy()
  else carrier.resetAndDestroy()
}

/** The stream path and query of a request's target. */
function parseTarget(target: string, extension: string): { readonly streamPath: string; readonly query: string } {
  const [path, query] = splitOnce(target, '?')
  const decoded = path.split('/').map(decodePathPart).join('/')
  const ending = `.${extension}`
  const named = decoded.toLowerCase().endsWith(ending) ? decoded.slice(0, -ending.length) : decoded
  return { streamPath: named.replace(/^\/+/u, ''), query }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
