import type { IncomingMessage } from 'node:http'
import { requestUrl, sessionClient, type PluginContext, type Subscriber } from 'sluice/sdk'

/** How long what is still queued for a viewer may take to reach it, before its connection is cut. */
const LINGER_MS = 2000

/** The stream path and query of a request's target: `/live/a.flv?x=1` and `/live/a?x=1` both ask for `live/a`. */
function parseTarget(target: string): { readonly streamPath: string; readonly query: string } {
  const [path, query] = splitOnce(target, '?')
  let decoded = path
  try {
    decoded = decodeURIComponent(path)
  } catch {
    // A stray percent sign stands for itself.
  }
  return { streamPath: decoded.replace(/^\/+/u, '').replace(/\.flv$/iu, ''), query }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Asks for the stream that a request names; a client that leaves meanwhile ends the waiting. */
export async function subscribe(ctx: PluginContext<unknown>, request: IncomingMessage): Promise<Subscriber> {
  const { streamPath, query } = parseTarget(request.url ?? '/')
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  request.socket.once('close', leave)
  try {
    return await ctx.streams.subscribe({
      streamPath,
      url: requestUrl(request),
      query,
      client: sessionClient(request.socket, request.headers['user-agent'] ?? ''),
      signal: leaving.signal,
    })
  } finally {
    request.socket.off('close', leave)
  }
}

/** Ties a subscriber's life to a socket's, and logs both ends. */
export function bind(
  ctx: PluginContext<unknown>,
  request: IncomingMessage,
  subscriber: Subscriber,
  end: () => void,
): void {
  const { socket } = request
  const log = ctx.log.child({ session: subscriber.id, stream: subscriber.streamPath })
  const { ip, port } = sessionClient(socket)
  log.info({ ip, port }, 'play')
  subscriber.onClose((reason) => {
    log.info({ reason }, 'play ended')
    if (socket.destroyed) return
    if (reason === 'slow') return void socket.destroy()
    end()
    // What a viewer has not taken would keep its socket alive.
    const cut = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(cut))
  })
  socket.once('end', () => subscriber.close('the client left'))
  socket.once('close', () => subscriber.close('the client left'))
  if (socket.destroyed) subscriber.close('the client left')
}
