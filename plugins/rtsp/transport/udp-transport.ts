import type { Net, PortRange, UdpListener, UdpPeer } from 'sluice/sdk'
import type { NumberPair, Transport } from '../wire/transport.ts'
import type { MediaTransport, PacketHandlers } from './media-transport.ts'

const MAX_PORT = 65_535

/** The peer's ports. A port that the peer does not name is the one it is seen to send from. */
export type UdpEnd = {
  readonly ip: string
  readonly rtpPort: number | undefined
  readonly rtcpPort: number | undefined
}

/** RTP and RTCP over a pair of UDP ports of this server. Datagrams from other hosts than the peer are dropped. */
export class UdpTransport implements MediaTransport {
  readonly isDatagram = true
  /** The peer's ports; nothing is sent or taken while they are undefined. */
  end: UdpEnd | undefined
  readonly #handlers: PacketHandlers
  #rtp: UdpListener | undefined
  #rtcp: UdpListener | undefined
  /** The ports that the peer was seen to send from. */
  #rtpSource: number | undefined
  #rtcpSource: number | undefined

  private constructor(handlers: PacketHandlers) {
    this.#handlers = handlers
  }

  /** @throws {StreamUnavailable} when no two ports are free */
  static async open(net: Net, range: PortRange, handlers: PacketHandlers): Promise<UdpTransport> {
    const transport = new UdpTransport(handlers)
    const [rtp, rtcp] = await net.udpPortPair(
      range,
      (packet, peer) => transport.#takeRtp(packet, peer),
      (packet, peer) => transport.#takeRtcp(packet, peer),
    )
    transport.#rtp = rtp
    transport.#rtcp = rtcp
    return transport
  }

  /** Our ports, for RTP and RTCP. */
  get ports(): NumberPair {
    return { first: this.#rtp?.address.port ?? 0, last: this.#rtcp?.address.port ?? 0 }
  }

  get answer(): Transport {
    const { rtpPort: first, rtcpPort: last } = this.end ?? {}
    const clientPort = first === undefined || last === undefined ? undefined : { first, last }
    const ports = { serverPort: this.ports, ...(clientPort && { clientPort }) }
    return { profile: 'RTP/AVP', lowerTransport: 'UDP', delivery: 'unicast', ...ports, others: [] }
  }

  sendRtp(packets: readonly Buffer[]): void {
    const remotePort = this.end?.rtpPort ?? this.#rtpSource
    if (this.end !== undefined && remotePort !== undefined)
      this.#rtp?.send(packets, { remoteAddress: this.end.ip, remotePort })
  }

  sendRtcp(packet: Buffer): void {
    const remotePort = this.end?.rtcpPort ?? this.#rtcpSource
    if (this.end !== undefined && remotePort !== undefined)
      this.#rtcp?.send([packet], { remoteAddress: this.end.ip, remotePort })
  }

  close(): void {
    void this.#rtp?.close()
    void this.#rtcp?.close()
  }

  #takeRtp(packet: Buffer, peer: UdpPeer): boolean {
    if (this.end === undefined) return false
    this.#rtpSource = sourcePort(this.end.ip, this.end.rtpPort, this.#rtpSource, peer)
    if (peer.remoteAddress !== this.end.ip || peer.remotePort !== this.#rtpSource) return false
    this.#handlers.rtp(packet)
    return true
  }

  #takeRtcp(packet: Buffer, peer: UdpPeer): boolean {
    if (this.end === undefined) return false
    this.#rtcpSource = sourcePort(this.end.ip, this.end.rtcpPort, this.#rtcpSource, peer)
    if (peer.remoteAddress !== this.end.ip || peer.remotePort !== this.#rtcpSource) return false
    this.#handlers.rtcp(packet)
    return true
  }
}

/** The port that the peer sends from: the one that it has named or, when a router gives it another, the source of the first packet. */
function sourcePort(
  ip: string,
  namedPort: number | undefined,
  seenPort: number | undefined,
  peer: UdpPeer,
): number | undefined {
  if (peer.remoteAddress !== ip) return seenPort
  return peer.remotePort === namedPort ? namedPort : (seenPort ?? peer.remotePort)
}

/** The peer's ports, as it names them: 0 is none, and RTCP has the port after RTP's when only one is named. */
export function udpEnd(ip: string, ports: NumberPair | undefined): UdpEnd {
  if (ports === undefined || ports.first === 0) return { ip, rtpPort: undefined, rtcpPort: undefined }
  const { first, last } = ports
  const rtcpPort = last === first ? first + 1 : last
  return { ip, rtpPort: first, rtcpPort: rtcpPort > 0 && rtcpPort <= MAX_PORT ? rtcpPort : undefined }
}
