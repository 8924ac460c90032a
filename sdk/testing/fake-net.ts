import { createServer as createTcpServer, isIP, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { once } from 'node:events'
import type { Logger } from 'pino'
import type { TcpConfig, UdpConfig } from '../config/groups.ts'
import { makeSelfSigned, type KeyPair } from '../host/certificate/self-signed.ts'
import type { PortRange } from '../config/types.ts'
import { StreamUnavailable } from '../errors/stream-errors.ts'
import type { Certificate, MachineAddresses, Net, TcpListener } from '../plugin/net.ts'
import type { Dialer, DialTarget } from '../stream/dialer.ts'
import type { DatagramHandler, UdpListener } from '../plugin/udp.ts'
import { directDialer } from './direct-dialer.ts'
import { FakeUdpPort } from './fake-udp-port.ts'

const LOOPBACK = '127.0.0.1'
const DAY_MS = 86_400_000

/**
 * Real listeners on free ports of the loopback address, whatever addresses the config names; none for an empty one. There is
 * one generation, so nothing can be handed over; certificates are made here, and never renewed; and connections to other
 * servers are direct ones, whatever proxy is named.
 */
export class FakeNet implements Net {
  /** The listeners in the order they were asked for. */
  readonly listeners: TcpListener[] = []
  readonly #servers: Server[] = []
  /** The UDP listeners in the order they were asked for, those of single sessions not included. */
  readonly udpListeners: UdpListener[] = []
  readonly #udpPorts: FakeUdpPort[] = []
  /** Accepted and opened ones. */
  readonly #sockets = new Set<Socket>()
  readonly #ending = new AbortController()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  async tcp(config: TcpConfig, onConnection: (socket: Socket) => void): Promise<TcpListener> {
    const accept = (socket: Socket) => this.#accept(socket, onConnection)
    const servers: Server[] = []
    const addresses: TcpListener['addresses'][number][] = []
    const listen = async (server: Server, tls: boolean) => {
      servers.push(server)
      addresses.push(await this.#listen(server, tls))
    }
    if (config.listenaddr !== '') await listen(createTcpServer(accept), false)
    if (config.listenaddrtls !== '') await listen(tlsServer(accept), true)
    const close = async () => {
      for (const server of servers) server.close()
    }
    const listener: TcpListener = { addresses, handOver: () => false, close }
    this.listeners.push(listener)
    return listener
  }

  async udp({ listenaddr }: UdpConfig, onDatagram: DatagramHandler): Promise<UdpListener | undefined> {
    if (listenaddr === '') return undefined
    const listener = await this.#openUdp(0, onDatagram)
    this.udpListeners.push(listener)
    return listener
  }

  async tcpPort({ first, last }: PortRange, onConnection: (socket: Socket) => void): Promise<TcpListener> {
    for (let number = first; number <= last; number += 1) {
      const server = createTcpServer((socket) => this.#accept(socket, onConnection))
      const address = await unlessTaken(this.#listen(server, false, number))
      if (address === undefined) continue
      const close = async () => void server.close()
      if (this.#ending.signal.aborted) await close()
      this.#ending.signal.throwIfAborted()
      return { addresses: [address], handOver: () => false, close }
    }
    throw noneFree({ first, last })
  }

  async udpPort({ first, last }: PortRange, onDatagram: DatagramHandler): Promise<UdpListener> {
    for (let number = first; number <= last; number += 1) {
      const port = await unlessTaken(this.#openUdp(number, onDatagram))
      if (port !== undefined) return port
    }
    throw noneFree({ first, last })
  }

  async udpPortPair(
    { first, last }: PortRange,
    onEven: DatagramHandler,
    onOdd: DatagramHandler,
  ): Promise<readonly [UdpListener, UdpListener]> {
    for (let number = first + (first % 2); number < last; number += 2) {
      const even = await unlessTaken(this.#openUdp(number, onEven))
      if (even === undefined) continue
      const odd = await unlessTaken(this.#openUdp(number + 1, onOdd))
      if (odd !== undefined) return [even, odd]
      await even.close()
    }
    throw new StreamUnavailable(`no two ports from ${first} to ${last} are free`)
  }

  /** Only this machine reaches the listeners. */
  addresses(): MachineAddresses {
    return { outward: [], loopback: [LOOPBACK], publicIpv4: undefined, publicIpv6: undefined }
  }

  async addressToward(ip: string): Promise<string> {
    if (isIP(ip) === 0) throw new Error('the address of the peer is no IP address')
    return isIPv6(ip) && !ip.startsWith('::ffff:') ? '::1' : LOOPBACK
  }

  async certificate(): Promise<Certificate> {
    return makeCertificate()
  }

  dialer(proxy = ''): Dialer {
    this.#ending.signal.throwIfAborted()
    return { ...directDialer, proxied: proxy !== '', connect: (target) => this.#dial(target) }
  }

  /**
   * The port of the first listener of a kind.
   * @throws {Error} when there is none
   */
  port(kind: 'tcp' | 'tls' | 'udp' = 'tcp'): number {
    const tcp = this.listeners.flatMap((listener) => listener.addresses)
    const address = kind === 'udp' ? this.udpListeners[0]?.address : tcp.find(({ tls }) => tls === (kind === 'tls'))
    if (address === undefined) throw new Error(`the plugin listens on no ${kind} address`)
    return address.port
  }

  /** Closes listeners and connections. */
  async dispose(): Promise<void> {
    this.#ending.abort()
    for (const port of this.#udpPorts) await port.close()
    const listening = this.#servers.filter((server) => server.listening)
    const closed = listening.map((server) => once(server.close(), 'close'))
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(closed)
  }

  async #listen(server: Server, tls: boolean, port = 0): Promise<TcpListener['addresses'][number]> {
    this.#servers.push(server)
    await once(server.listen(port, LOOPBACK), 'listening')
    return { host: LOOPBACK, port: (server.address() as AddressInfo).port, tls }
  }

  async #openUdp(number: number, onDatagram: DatagramHandler): Promise<FakeUdpPort> {
    const port = await FakeUdpPort.open(number, LOOPBACK, onDatagram, this.#log)
    this.#udpPorts.push(port)
    return port
  }

  async #dial(target: DialTarget): Promise<Socket> {
    const { signal: ending } = this.#ending
    const signal = target.signal === undefined ? ending : AbortSignal.any([target.signal, ending])
    const socket = await directDialer.connect({ ...target, signal })
    this.#keep(socket)
    return socket
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #accept(socket: Socket, onConnection: (socket: Socket) => void): void {
    this.#keep(socket)
    try {
      onConnection(socket)
    } catch (error) {
      this.#log.error({ err: error }, 'a connection handler failed')
      socket.destroy()
    }
  }
}

/** Undefined where the port is taken. */
async function unlessTaken<Port>(opening: Promise<Port>): Promise<Port | undefined> {
  try {
    return await opening
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined
    throw error
  }
}

function noneFree({ first, last }: PortRange): StreamUnavailable {
  return new StreamUnavailable(`no port from ${first} to ${last} is free`)
}

function tlsServer(accept: (socket: Socket) => void): Server {
  return createTlsServer(makeCertificate(), accept)
}

function makeCertificate(): KeyPair {
  const nowMs = Date.now()
  return makeSelfSigned({
    commonName: 'localhost',
    names: ['localhost', LOOPBACK],
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + DAY_MS),
  })
}
