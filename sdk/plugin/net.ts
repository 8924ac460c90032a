import type { Socket } from 'node:net'
import type { TcpConfig, UdpConfig } from '../config/groups.ts'
import type { PortRange } from '../config/types.ts'
import type { Dialer } from '../stream/dialer.ts'
import type { DatagramHandler, UdpListener } from './udp.ts'

/** The addresses on which a plugin accepts connections; they are given up when it is unloaded. */
export interface TcpListener {
  /** The bound addresses, those of TLS included, with the real port where the config asks for port 0. */
  readonly addresses: readonly { readonly host: string; readonly port: number; readonly tls: boolean }[]
  /**
   * Gives a connection of this listener to the newest generation, for protocols with connections that last for days and would
   * hold up the end of a replaced generation. It is called from `onDrain`, once this generation has taken its listeners off
   * the socket; bytes that were read and not used go back by `socket.unshift`.
   * @param state the data that the newest generation needs to go on, as plain data: its code is another
   * @returns false where no newer generation listens on the address; the connection stays here then
   */
  handOver(socket: Socket, state: unknown): boolean
  /** Gives the addresses up before the plugin is unloaded; connections go on. Idempotent. */
  close(): Promise<void>
}

/** Options of a listener, for an address that can't be had. */
export type ListenOptions = {
  /**
   * The address to use in place of `listenaddr` where that is the plugin's default and the system does not let the server
   * have it, as a port below 1024 of an ordinary user. The log reports it, and `endpoints` receives it as `listenaddr` of the
   * group. Without it, and where `listenaddr` is set in the config, `tcp` throws.
   */
  readonly fallback?: string
}

/** A certificate chain and its private key, both PEM. */
export type Certificate = { readonly cert: string; readonly key: string }

/** The lifetime of a self-signed certificate that the host makes, and the callback for its renewal. */
export type CertificateOptions = {
  /** The days for which a self-signed certificate is valid; 365 unless given. WebTransport allows 14. */
  readonly days?: number
  /** Called with the certificate that takes its place: its files have changed, or half the lifetime of a self-signed one is over. */
  readonly onRenewed?: (certificate: Certificate) => void
}

/** The IP addresses by which this machine can be reached, IPv4 before IPv6. */
export type MachineAddresses = {
  /** The addresses of its network cards, without those that are valid on one link only (`169.254.0.0/16`, `fe80::/10`). */
  readonly outward: readonly string[]
  /** The addresses that only this machine reaches: `127.0.0.1`, `::1`. */
  readonly loopback: readonly string[]
  /** The public addresses of `publicip` and `publicipv6` in the section `global`; undefined where they are empty. */
  readonly publicIpv4: string | undefined
  readonly publicIpv6: string | undefined
}

/** The terms of connections that a dialer opens. */
export type DialerOptions = {
  /**
   * True for a dialer that also reaches addresses that `global.pull.deny` names: for servers that only the config names, and
   * no client. Default false.
   */
  readonly isAnywhere?: boolean
}

/** Listeners that the host lends, and connections to other servers. The ports stay bound while a plugin is replaced. */
export interface Net {
  /** The machine's addresses, which come and go with its networks: ask again now and then. */
  addresses(): MachineAddresses
  /**
   * Returns the address by which this machine reaches a peer, and so, unless there is a NAT between them, the peer this
   * machine: for the `Via` and `Contact` of SIP and `c=` of SDP, where a listener on all addresses has no single one. It
   * comes from the system's routes; nothing is sent.
   * @param ip an IPv4 or IPv6 address; IPv4 may be mapped into IPv6, as sockets have it, and is answered as IPv4
   * @throws {Error} when it is no IP address, or there is no way to it
   */
  addressToward(ip: string): Promise<string>
  /**
   * Accepts TCP connections on `listenaddr`, and TLS ones on `listenaddrtls`, where these are not empty. While the plugin is
   * replaced, new connections go to the old generation until the new one is up. The plugin must listen to the `error` event
   * of each socket; where `onConnection` throws or rejects, the connection ends.
   * @param onConnection `handedOver` is the state that an older generation gave with a connection of its own, and undefined
   *   for a new connection
   * @throws {Error} with `code` `EADDRINUSE` and the like when an address can't be bound. A `setup` that lets it through is
   *   tried again until the address is free.
   */
  tcp(
    config: TcpConfig,
    onConnection: (socket: Socket, handedOver?: unknown) => void,
    options?: ListenOptions,
  ): Promise<TcpListener>
  /**
   * Takes datagrams on `listenaddr`. Those of peers that are not claimed go to `onDatagram`, while the plugin is replaced to
   * that of the old generation until the new one is up. From then on the new one is asked first, and the older ones
   * while they have sessions: these refuse new ones themselves.
   * @returns undefined where `listenaddr` is empty
   * @throws {Error} as `tcp` does
   */
  udp(config: UdpConfig, onDatagram: DatagramHandler): Promise<UdpListener | undefined>
  /**
   * Takes a TCP port of a range for one session, on IPv4 and IPv6. It is given back by `close`, and at the latest with the
   * generation, which goes on until then after it was replaced; the connections of the port live on after `close`, and hold up
   * the generation as those of `tcp` do. They can't be handed over, for no newer generation listens there. Sockets and errors
   * of `onConnection` are as with `tcp`.
   * @throws {StreamUnavailable} when no port is free
   */
  tcpPort(range: PortRange, onConnection: (socket: Socket) => void): Promise<TcpListener>
  /**
   * Takes a UDP port of a range for one session. It is given back by `close`, and at the latest with the generation, which
   * goes on until then after it was replaced.
   * @throws {StreamUnavailable} when none is free
   */
  udpPort(range: PortRange, onDatagram: DatagramHandler): Promise<UdpListener>
  /**
   * Takes two UDP ports as `udpPort` does, an even one and the next, for RTP and RTCP (RFC 3550, 11).
   * @throws {StreamUnavailable} when no such two are free
   */
  udpPortPair(
    range: PortRange,
    onEven: DatagramHandler,
    onOdd: DatagramHandler,
  ): Promise<readonly [even: UdpListener, odd: UdpListener]>
  /**
   * The certificate that a section names, or a self-signed one for this machine where both keys are empty.
   * @throws {Error} naming the file that can't be used, and why
   */
  certificate(
    config: { readonly certfile: string; readonly keyfile: string },
    options?: CertificateOptions,
  ): Promise<Certificate>
  /**
   * Returns a dialer that opens connections to other servers outside pulls and pushes, which have a dialer of their own. It
   * refuses addresses that `global.pull.deny` names, unless the options say otherwise. The connections end with the
   * generation, after its `onDispose` callbacks; unlike accepted ones they do not hold up the end of a generation that was
   * replaced, so last messages are sent in `onDrain` or `onDispose`. The plugin must listen to the `error` event of each
   * socket.
   * @param proxy the address of the proxy to go through: `http://`, `https://` or `socks5://`, with `user:password@` where it
   *   wants them; none unless given, or where it is empty
   * @throws {Error} when the address of the proxy is not valid; its message does not show it
   */
  dialer(proxy?: string, options?: DialerOptions): Dialer
}
