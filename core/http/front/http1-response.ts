import { ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { GivingResponse } from 'sluice/sdk/http'
import { PacedReading } from './paced-reading.ts'
import type { TurnQueue } from './turn-queue.ts'

/** The events of a connection that an HTTP server listens to. */
const EVENTS = ['data', 'end', 'close', 'drain', 'error', 'timeout', 'resume', 'pause'] as const

type Listener = (...args: unknown[]) => void
type Listeners = readonly { readonly event: string; readonly listener: Listener }[]
/** The reading of a connection by an HTTP server, and its other listeners there. */
type Attached = { readonly reading: PacedReading; readonly listeners: Listeners }

const attached = new WeakMap<Duplex, Attached>()

/** Hands a connection to an HTTP server, which reads it at the pace of the queue; notes the listeners that the server adds. */
export function attachHttp(socket: Socket, queue: TurnQueue, attach: () => void): void {
  const before = EVENTS.map((event) => socket.listenerCount(event))
  attach()
  const added = EVENTS.flatMap((event, index) =>
    socket
      .listeners(event)
      .slice(before[index])
      .map((listener) => ({ event, listener: listener as Listener })),
  )
  const take = (wanted: string) => added.filter(({ event }) => event === wanted).map(({ listener }) => listener)
  const [onData, onEnd] = [take('data'), take('end')]
  for (const listener of onData) socket.off('data', listener)
  for (const listener of onEnd) socket.off('end', listener)
  const reader = {
    onData: (bytes: Buffer) => onData.forEach((listener) => listener.call(socket, bytes)),
    onEnd: () => onEnd.forEach((listener) => listener.call(socket)),
  }
  const listeners = added.filter(({ event }) => event !== 'data' && event !== 'end')
  attached.set(socket, { reading: new PacedReading(socket, reader, queue), listeners })
}

/** Forgets a connection that the HTTP server has left by itself, as for a WebSocket. */
export function forgetHttp(socket: Duplex): void {
  const unread = attached.get(socket)?.reading.stop()
  attached.delete(socket)
  if (!unread) return
  // The rest is for the next reader, which would not be notified of an end that is past.
  if (socket.readableEnded) socket.destroy()
  else socket.unshift(unread)
}

/** Takes a connection from its HTTP server, as if it had closed: the server frees its parser, and forgets it. */
function detachHttp(socket: Socket): void {
  attached.get(socket)?.reading.stop()
  for (const { event, listener } of attached.get(socket)?.listeners ?? []) {
    socket.removeListener(event, listener)
    if (event === 'close') listener.call(socket)
  }
  attached.delete(socket)
}

/** A response that can give its connection to a handler that answers without end; see `takeOver` of the sdk. */
export class Http1Response extends ServerResponse implements GivingResponse {
  /** The connection that lives on after the response. */
  given: Socket | null = null

  giveConnection(statusCode: number, headers: OutgoingHttpHeaders): void {
    const { socket } = this.req
    // Without chunks, the body is written to the connection as it is.
    this.useChunkedEncodingByDefault = false
    this.shouldKeepAlive = false
    this.writeHead(statusCode, headers)
    this.flushHeaders()
    this.given = socket
    this.detachSocket(socket)
    detachHttp(socket)
    socket.setTimeout(0)
    // A socket that is not read would not notice that its client leaves.
    socket.resume()
    this.emit('close')
  }
}
