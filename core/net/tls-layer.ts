import type { Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import type { Logger } from 'pino'
import { sessionClient } from 'sluice/sdk'
import type { AcceptLimits } from './accept-limits.ts'
import type { KeyPair } from 'sluice/sdk/host'

export type TlsOptions = {
  /** Protocols that clients may choose from (RFC 7301), the preferred first; empty for no ALPN. */
  readonly alpn: readonly string[]
}

type TlsLayerOptions = TlsOptions & { readonly log: Logger; readonly limits: AcceptLimits }

/** Makes TLS connections out of accepted ones. A failed handshake ends only its own connection. */
export class TlsLayer {
  readonly #server: Server
  readonly #log: Logger
  readonly #limits: AcceptLimits
  /** Connections in the handshake, by the peer's address. */
  readonly #pending = new Map<string, Socket>()

  constructor({ log, limits, alpn }: TlsLayerOptions, onSecure: (socket: Socket) => void) {
    this.#log = log
    this.#limits = limits
    this.#server = createServer({
      handshakeTimeout: limits.handshakeTimeoutMs,
      ...(alpn.length === 0 ? {} : { ALPNProtocols: [...alpn] }),
    })
    this.#server.on('secureConnection', (socket) => {
      this.#pending.delete(peerOf(socket))
      onSecure(socket)
    })
    this.#server.on('tlsClientError', (err, socket) => {
      this.#failed(socket, reasonOf(err))
      socket.destroy()
    })
  }

  /** Sets the certificate of connections that are accepted from now on. */
  setCertificate(pair: KeyPair): void {
    this.#server.setSecureContext({ cert: pair.cert, key: pair.key })
  }

  handshake(socket: Socket): void {
    if (this.#pending.size >= this.#limits.maxHandshakes) {
      this.#log.debug({ limit: this.#limits.maxHandshakes }, 'connection closed: too many TLS handshakes at once')
      socket.destroy()
      return
    }
    const peer = peerOf(socket)
    this.#pending.set(peer, socket)
    socket.once('close', () => this.#failed(socket, 'the client left'))
    this.#server.emit('connection', socket)
  }

  /** Ends the handshakes under way; connections after their handshake go on. */
  close(): void {
    const sockets = [...this.#pending.values()]
    this.#pending.clear()
    for (const socket of sockets) socket.destroy()
  }

  // Logs a failed handshake once: it is called for the accepted connection, and for the TLS connection made of it.
  #failed(socket: Socket, reason: string): void {
    if (!this.#pending.delete(peerOf(socket))) return
    const { ip, port } = sessionClient(socket)
    this.#log.info({ ip, port, reason }, 'TLS handshake failed')
  }
}

/** A key that an accepted connection shares with the TLS connection made of it, and with no other connection of the port. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}

/** The short reason of OpenSSL's errors, whose messages contain addresses and file names. */
function reasonOf(error: Error): string {
  if ('code' in error && error.code === 'ERR_SSL_HTTP_REQUEST') return 'an HTTP request without TLS on a port with it'
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
}
