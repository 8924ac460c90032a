import type { Socket } from 'node:net'
import type { Net } from 'sluice/sdk'
import { endText } from './ice-pair.ts'
import type { ReachablePort } from './local-candidates.ts'
import { TcpPath } from './packet-path.ts'
import type { PortEntry } from './port-list.ts'
import type { SessionTransport } from './session-transport.ts'
import { FrameReader } from './tcp-framing.ts'

export type TcpConnectionsOptions = {
  readonly net: Pick<Net, 'tcp'>
  readonly setTimeout: (callback: () => void, delayMs: number) => () => void
  /** The session that a check names. */
  find(check: Buffer): SessionTransport | undefined
}

/** The time in which a connection must name its session by an authentic check. */
const CHECK_DEADLINE_MS = 10_000
/** The most connections without a check; the oldest makes room. */
export const MAX_UNCHECKED = 128

/** The connections of peers for which UDP is blocked (RFC 6544): this end is passive. */
export class TcpConnections {
  readonly #options: TcpConnectionsOptions
  readonly #unchecked = new Set<Socket>()
  #ports: ReachablePort[] = []

  constructor(options: TcpConnectionsOptions) {
    this.#options = options
  }

  get ports(): readonly ReachablePort[] {
    return this.#ports
  }

  get uncheckedCount(): number {
    return this.#unchecked.size
  }

  /** @throws {Error} with a `code` when an address can't be bound */
  async open(entries: readonly PortEntry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.kind !== 'tcp') continue
      const listenaddr = endText(entry.host ?? '', entry.port)
      const config = { listenaddr, listenaddrtls: '', certfile: '', keyfile: '', nodelay: true, keepalive: true }
      const listener = await this.#options.net.tcp(config, (socket) => this.#accept(socket))
      for (const { host, port } of listener.addresses) {
        const isAll = host === '::' || host === '0.0.0.0'
        this.#ports = [...this.#ports, { transport: 'tcp', host: isAll ? undefined : host, port }]
      }
    }
  }

  #accept(socket: Socket): void {
    const path = new TcpPath(socket)
    const reader = new FrameReader()
    let transport: SessionTransport | undefined
    if (this.#unchecked.size >= MAX_UNCHECKED) this.#unchecked.values().next().value?.destroy()
    this.#unchecked.add(socket)
    const cancel = this.#options.setTimeout(() => socket.destroy(), CHECK_DEADLINE_MS)

    const onFrame = (frame: Buffer) => {
      if (socket.destroyed) return
      if (transport !== undefined) {
        transport.receive(path, frame)
        return
      }
      const named = this.#options.find(frame)
      const key = `tcp ${endText(path.localAddress, path.localPort)} ${endText(path.remoteAddress, path.remotePort)}`
      if (named?.receiveCheck(key, path, frame) !== true) {
        socket.destroy()
        return
      }
      transport = named
      cancel()
      this.#unchecked.delete(socket)
    }
    socket.on('data', (bytes: Buffer) => {
      if (!reader.read(bytes, onFrame)) socket.destroy()
    })
    // Every end results in `close`, also one by an error.
    socket.on('error', () => {})
    socket.once('close', () => {
      cancel()
      this.#unchecked.delete(socket)
      transport?.lose(path)
    })
  }
}
