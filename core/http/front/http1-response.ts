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
/** How an HTTP server reads a connection, and what else it listens to there. */
type Attached = { readonly reading: PacedReading; readonly listeners: Listeners }

const attached = new WeakMap<Duplex, Attached>()

/** Hands a connection to an HTTP server, which reads it at the pace of the queue; notes what it listens to there. */
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

/** Takes note that the HTTP server has left a connection by itself, as for a WebSocket. */
export function forgetHttp(socket: Duplex): void {
  const unread = attached.get(socket)?.reading.stop()
  attached.delete(socket)
  if (!unread) return
  // It is for those who read on; they would not learn of an end that is past.
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
