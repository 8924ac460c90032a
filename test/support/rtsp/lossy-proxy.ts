import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { keep } from '../../peers/lifetime.ts'
import { DatagramRelay, type Direction } from './datagram-relay.ts'
import { LossyFlow, type FlowCounts, type LossPolicy } from './lossy-flow.ts'
import { RtspMessageReader, serializeFrame, type RtspMessage, type RtspPart } from './message-reader.ts'

export type LossyProxyInit = {
  /** The port of the RTSP server, of this machine. */
  readonly serverPort: number
  /** What happens on the way from a publisher or player to the server, and back. By default nothing. */
  readonly policies?: Readonly<Partial<Record<Direction, LossPolicy>>>
}

/**
 * Stands between RTSP clients and a server: passes on what they say with the ports of RTP exchanged for its own, and
 * loses, doubles and reorders the datagrams. It ends with the test that started it, at the latest.
 */
export class LossyProxy {
  readonly port: number
  readonly #counts: Readonly<Record<Direction, Map<number, FlowCounts>>>

  private constructor(port: number, counts: Readonly<Record<Direction, Map<number, FlowCounts>>>) {
    this.port = port
    this.#counts = counts
  }

  static async start({ serverPort, policies = {} }: LossyProxyInit): Promise<LossyProxy> {
    const counts = { toServer: new Map<number, FlowCounts>(), toClient: new Map<number, FlowCounts>() }
    const flow = (direction: Direction, media: number) =>
      new LossyFlow(policies[direction] ?? {}, media, counts[direction])
    const connections = new Set<ProxiedConnection>()
    const server = createServer((client) => {
      const connection = new ProxiedConnection(client, connect(serverPort, '127.0.0.1'), flow)
      connections.add(connection)
    })
    keep({
      close: () => {
        server.close()
        for (const connection of connections) connection.close()
      },
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LossyProxy((server.address() as AddressInfo).port, counts)
  }

  /** What became of the RTP packets that went one way, by their SSRC. */
  counts(direction: Direction): ReadonlyMap<number, FlowCounts> {
    return this.#counts[direction]
  }

  /** What became of all RTP packets that went one way. */
  total(direction: Direction): FlowCounts {
    const total = { came: 0, dropped: 0, duplicated: 0, reordered: 0 }
    for (const counts of this.#counts[direction].values()) {
      for (const name of Object.keys(total) as (keyof FlowCounts)[]) total[name] += counts[name]
    }
    return total
  }
}

class ProxiedConnection {
  readonly #client: Socket
  readonly #server: Socket
  readonly #flow: (direction: Direction, media: number) => LossyFlow
  readonly #relays: DatagramRelay[] = []
  /** By the number of the SETUP that asked for it. */
  readonly #asked = new Map<string, DatagramRelay>()
  #isClosed = false

  constructor(client: Socket, server: Socket, flow: (direction: Direction, media: number) => LossyFlow) {
    this.#client = client
    this.#server = server
    this.#flow = flow
    this.#pipe(client, server, (message) => this.#request(message))
    this.#pipe(server, client, (message) => Promise.resolve(this.#answer(message)))
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#client.destroy()
    this.#server.destroy()
    for (const relay of this.#relays) relay.close()
  }

  #pipe(from: Socket, to: Socket, change: (message: RtspMessage) => Promise<string>): void {
    const reader = new RtspMessageReader()
    let last = Promise.resolve()
    const bytesOf = async (part: RtspPart) =>
      'channel' in part ? serializeFrame(part) : Buffer.concat([Buffer.from(await change(part), 'latin1'), part.body])
    from.on('data', (bytes: Buffer) => {
      for (const part of reader.push(bytes)) last = last.then(async () => void to.write(await bytesOf(part)))
    })
    from.on('error', () => {})
    from.on('close', () => void last.then(() => this.#ended(to)))
  }

  /** What was written before still goes out. */
  #ended(to: Socket): void {
    to.end(() => this.close())
  }

  /** The head of a request as the server is to get it. */
  async #request({ startLine, headers, head }: RtspMessage): Promise<string> {
    if (/^(?:PAUSE|TEARDOWN) /u.test(startLine)) for (const relay of this.#relays) relay.flush()
    const clientPorts = /client_port=(\d+(?:-\d+)?)/u.exec(headers.get('transport') ?? '')?.[1]
    if (!startLine.startsWith('SETUP ') || clientPorts === undefined) return head
    const media = this.#relays.length
    const flows = { toServer: this.#flow('toServer', media), toClient: this.#flow('toClient', media) }
    const relay = await DatagramRelay.open(clientPorts, flows)
    this.#relays.push(relay)
    if (this.#isClosed) relay.close()
    this.#asked.set(headers.get('cseq') ?? '', relay)
    return head.replaceAll(/client_port=\d+(?:-\d+)?/gu, `client_port=${portsOf(relay)}`)
  }

  /** The head of an answer as the client is to get it. */
  #answer({ headers, head }: RtspMessage): string {
    const relay = this.#asked.get(headers.get('cseq') ?? '')
    const serverPort = /server_port=(\d+)/u.exec(headers.get('transport') ?? '')?.[1]
    if (relay === undefined || serverPort === undefined) return head
    relay.serverPort = Number(serverPort)
    return head
      .replace(/client_port=\d+(?:-\d+)?/u, `client_port=${relay.clientPorts}`)
      .replace(/server_port=\d+(?:-\d+)?/u, `server_port=${portsOf(relay)}`)
  }
}

function portsOf({ port }: DatagramRelay): string {
  return `${port}-${port + 1}`
}
