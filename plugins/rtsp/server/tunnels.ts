import type { Duplex } from 'node:stream'
import { tryParse } from 'sluice/sdk/media'
import type { RtspRequest } from '../wire/message/message.ts'
import { parseTunnelRequest, serializeTunnelAnswer } from '../wire/http-tunnel.ts'
import type { SessionClient } from 'sluice/sdk'
import type { Accepted, Endpoint } from './server-context.ts'
import type { RtspContext } from '../plugin-context.ts'
import { TunnelStream } from './tunnel-stream.ts'

/** Takes the connection by which the client of a tunnel sends. */
type Receive = (carrier: Duplex, first: Buffer) => void
/** A connection that has begun with a request of HTTP. */
export interface HttpConnection {
  readonly client: SessionClient
  readonly local: Endpoint
  /** Hands the byte stream over with the bytes that were read and not used. */
  release(): { readonly stream: Duplex; readonly rest: Buffer }
  /** Sends a last answer, and closes the connection. */
  refuse(answer: Buffer, reason: string): void
}

type Tunnel = { readonly ip: string; readonly receiveFrom: Receive }

/** The answer to an HTTP request that does not belong to a tunnel. */
const BAD_REQUEST = Buffer.from('HTTP/1.0 400 Bad Request\r\nConnection: close\r\n\r\n')

/**
 * Puts the two connections together that make one of RTSP where only HTTP gets through: the GET and the POST of a client name
 * the same cookie. All generations of the plugin know the tunnels of all others, as a reload may come between the two.
 */
export class Tunnels {
  readonly #open: Map<string, Tunnel>
  readonly #accept: (accepted: Accepted) => void
  readonly #mine = new Set<string>()

  constructor(ctx: RtspContext, accept: (accepted: Accepted) => void) {
    this.#open = ctx.keep('tunnels', () => new Map<string, Tunnel>())
    this.#accept = accept
    ctx.onDispose(() => this.#mine.forEach((cookie) => this.#open.delete(cookie)))
  }

  /** Takes over a connection that has begun with an HTTP request. */
  take(request: RtspRequest, connection: HttpConnection): void {
    const half = tryParse(parseTunnelRequest, request) ?? undefined
    const tunnel = half && this.#open.get(half.sessionCookie)
    if (half?.direction === 'get' && tunnel === undefined) {
      this.#begin(half.sessionCookie, connection)
    } else if (half?.direction === 'post' && tunnel !== undefined && tunnel.ip === connection.client.ip) {
      const { stream, rest } = connection.release()
      tunnel.receiveFrom(stream, rest)
    } else {
      connection.refuse(BAD_REQUEST, 'HTTP without a tunnel')
    }
  }

  #begin(cookie: string, connection: HttpConnection): void {
    const { stream } = connection.release()
    stream.write(serializeTunnelAnswer())
    const tunnel = new TunnelStream(stream)
    this.#open.set(cookie, {
      ip: connection.client.ip,
      receiveFrom: (carrier, first) => tunnel.receiveFrom(carrier, first),
    })
    this.#mine.add(cookie)
    tunnel.once('close', () => {
      this.#open.delete(cookie)
      this.#mine.delete(cookie)
    })
    const { client, local } = connection
    this.#accept({ stream: tunnel, client, local })
  }
}
