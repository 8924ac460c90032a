import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { MalformedError } from 'sluice/sdk/media'
import { serializeTunnelRequest } from '../wire/http-tunnel.ts'
import { RtspReader } from '../wire/message/reader.ts'
import type { RtspUrl } from '../wire/url.ts'
import { RtspClientError } from './client-error.ts'

const ANSWER_TIMEOUT_MS = 10_000

export type TunnelOptions = {
  readonly url: RtspUrl
  /** A connection to the server. */
  readonly down: Socket
  /** Opens another one to the same server. */
  readonly open: () => Promise<Socket>
  /** Ends the opening when it aborts. */
  readonly signal: AbortSignal
}

/**
 * Makes a connection of two that look like HTTP, for networks that let nothing else through.
 * @throws {RtspClientError} when the server supports no tunnels
 */
export async function openTunnel({ url, down, open, signal }: TunnelOptions): Promise<Duplex> {
  const { host, port, uri } = url
  const path = uri.replace(/^[^:]*:\/\/[^/?]*/u, '') || '/'
  const sessionCookie = randomBytes(16).toString('hex')
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const stop = () => down.destroy()
  signal.addEventListener('abort', stop)
  // An error is followed by 'close', which has a listener.
  down.on('error', () => {})
  try {
    down.write(serializeTunnelRequest({ direction: 'get', sessionCookie, path }, server))
    const first = await answer(down)
    const up = await open()
    if (down.destroyed) {
      up.on('error', () => {}).destroy()
      throw new RtspClientError('the server opens no tunnel')
    }
    up.write(serializeTunnelRequest({ direction: 'post', sessionCookie, path }, server))
    return new ClientTunnel(down, up, first)
  } catch (error) {
    down.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Waits for the head of the answer to GET; returns the bytes after it. */
async function answer(down: Socket): Promise<Buffer> {
  const reader = new RtspReader()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const read = (bytes: Buffer) => {
    try {
      reader.push(bytes)
      const head = reader.read()
      if (head?.kind === 'response' && head.status === 200) resolve(reader.takeRest())
      else if (head !== null) reject(new RtspClientError('the server answers HTTP, but opens no tunnel'))
    } catch (error) {
      reject(error instanceof MalformedError ? new RtspClientError('the server opens no tunnel') : error)
    }
  }
  const end = () => reject(new RtspClientError('the server opens no tunnel'))
  const timer = setTimeout(() => reject(new RtspClientError('no answer in time')), ANSWER_TIMEOUT_MS)
  down.on('data', read).on('close', end)
  try {
    const first = await promise
    down.pause()
    return first
  } finally {
    clearTimeout(timer)
    down.off('data', read).off('close', end)
  }
}

/** The two connections as one: data go up in base64 as the body of a POST, and come down as the answer to a GET. */
class ClientTunnel extends Duplex {
  readonly #down: Socket
  readonly #up: Socket

  constructor(down: Socket, up: Socket, first: Buffer) {
    super({ allowHalfOpen: false })
    this.#down = down
    this.#up = up
    if (first.length > 0) this.push(first)
    down.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) down.pause()
    })
    for (const socket of [down, up]) {
      socket.on('error', (error) => this.destroy(error)).on('close', () => this.destroy())
    }
    up.resume()
  }

  override _read(): void {
    this.#down.resume()
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#up.write(bytes.toString('base64'), done)
  }

  override _final(done: () => void): void {
    this.#up.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#down.destroy()
    this.#up.destroy()
    done(error)
  }
}
