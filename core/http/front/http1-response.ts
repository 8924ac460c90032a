import { ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { GivingResponse } from 'sluice/sdk/http'

/** What an HTTP server listens to on a connection. */
const EVENTS = ['data', 'end', 'close', 'drain', 'error', 'timeout', 'resume', 'pause'] as const

type Listener = (...args: unknown[]) => void
type Listeners = readonly { readonly event: string; readonly listener: Listener }[]

const httpListeners = new WeakMap<Duplex, Listeners>()

/** Hands a connection to an HTTP server, and notes what it listens to there. */
export function attachHttp(socket: Socket, attach: () => void): void {
  const before = EVENTS.map((event) => socket.listenerCount(event))
  attach()
  const added = EVENTS.flatMap((event, index) =>
    socket
      .listeners(event)
      .slice(before[index])
      .map((listener) => ({ event, listener: listener as Listener })),
  )
  httpListeners.set(socket, added)
}

/** The HTTP server has left a connection by itself, as for a WebSocket. */
export function forgetHttp(socket: Duplex): void {
  httpListeners.delete(socket)
}

/** Takes a connection from its HTTP server, as if it had closed: the server frees its parser, and forgets it. */
function detachHttp(socket: Socket): void {
  for (const { event, listener } of httpListeners.get(socket) ?? []) {
    socket.removeListener(event, listener)
    if (event === 'close') listener.call(socket)
  }
  httpListeners.delete(socket)
}

/** A response that can give its connection to who answers without end; see `takeOver` of the sdk. */
export class Http1Response extends ServerResponse implements GivingResponse {
  /** What lives on after the response. */
  given: Socket | null = null

  giveConnection(statusCode: number, headers: OutgoingHttpHeaders): void {
    const { socket } = this.req
    // Without chunks, the body is what is written to the connection.
    this.useChunkedEncodingByDefault = false
    this.shouldKeepAlive = false
    this.writeHead(statusCode, headers)
    this.flushHeaders()
    this.given = socket
    this.detachSocket(socket)
    detachHttp(socket)
    socket.setTimeout(0)
    // Nobody would notice that a client leaves.
    socket.resume()
    this.emit('close')
  }
}
