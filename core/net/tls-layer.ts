import type { Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import type { Logger } from 'pino'
import type { AcceptLimits } from './accept-limits.ts'
import type { KeyPair } from './self-signed.ts'

/** Makes TLS connections out of accepted ones. Handshakes that fail end their connection and nothing else. */
export class TlsLayer {
  readonly #server: Server
  readonly #log: Logger
  readonly #limits: AcceptLimits
  /** Connections in the handshake, by the peer's address. */
  readonly #pending = new Map<string, Socket>()

  constructor(log: Logger, limits: AcceptLimits, onSecure: (socket: Socket) => void) {
    this.#log = log
    this.#limits = limits
    this.#server = createServer({ handshakeTimeout: limits.handshakeTimeoutMs })
    this.#server.on('secureConnection', (socket) => {
      this.#pending.delete(peerOf(socket))
      onSecure(socket)
    })
    this.#server.on('tlsClientError', (err, socket) => {
      const { remoteAddress: ip, remotePort: port } = socket
      log.info({ ip, port, reason: err.message }, 'TLS handshake failed')
      socket.destroy()
    })
  }

  /** Connections accepted from now on see this certificate. */
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
    socket.once('close', () => {
      if (this.#pending.get(peer) === socket) this.#pending.delete(peer)
    })
    this.#server.emit('connection', socket)
  }

  /** Ends the handshakes under way; connections that are past them live on. */
  close(): void {
    for (const socket of this.#pending.values()) socket.destroy()
    this.#pending.clear()
  }
}

/** The same for an accepted connection and the TLS connection made of it, and of no other connection of the port. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}
