import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keep } from '../../peers/lifetime.ts'
import { LossyFlow, type FlowCounts, type LossPolicy } from '../rtsp/lossy-flow.ts'

/** The way of a datagram through a link. */
export type LinkDirection = 'toServer' | 'toClient'

export type LossyLinkInit = {
  /** The HTTP port of the server, of this machine. */
  readonly serverPort: number
  /** What happens to SRTP on the way from a browser to the server, and back. By default nothing. */
  readonly policies?: Readonly<Partial<Record<LinkDirection, LossPolicy>>>
}

/** The first byte of SRTP and SRTCP, and the packet types that are RTCP where both share a port (RFC 7983 7, RFC 5761 4). */
const FIRST_RTP_BYTE = 128
const LAST_RTP_BYTE = 191
const FIRST_RTCP_TYPE = 192
const LAST_RTCP_TYPE = 223

type FlowByDirection = Readonly<Record<LinkDirection, LossyFlow>>
type CountsByDirection = Readonly<Record<LinkDirection, Map<number, FlowCounts>>>

/**
 * Stands between WHIP and WHEP clients and a server: passes on requests, and takes the candidates of UDP out of offers and
 * answers to put its own ports there; those of TCP it leaves out. It loses, doubles and reorders SRTP, whose header can be
 * read, and passes on STUN, DTLS and SRTCP. It ends with the test that started it, at the latest.
 */
export class LossyLink {
  readonly port: number
  readonly #counts: CountsByDirection

  private constructor(port: number, counts: CountsByDirection) {
    this.port = port
    this.#counts = counts
  }

  static async start(init: LossyLinkInit): Promise<LossyLink> {
    const counts = { toServer: new Map<number, FlowCounts>(), toClient: new Map<number, FlowCounts>() }
    const relays: CandidateRelay[] = []
    const open = async () => {
      const relay = await CandidateRelay.open(init.policies ?? {}, relays.length, counts)
      relays.push(relay)
      return relay
    }
    const server = createServer((request, response) => {
      passOn(request, response, init.serverPort, open).catch((error: unknown) => response.destroy(error as Error))
    })
    keep({
      close: () => {
        server.close()
        server.closeAllConnections()
        for (const relay of relays) relay.close()
      },
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LossyLink((server.address() as AddressInfo).port, counts)
  }

  /** An address of the link's HTTP; the path begins with a slash. */
  http(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** What became of the SRTP packets that went one way. */
  total(direction: LinkDirection): FlowCounts {
    const total = { came: 0, dropped: 0, duplicated: 0, reordered: 0 }
    for (const counts of this.#counts[direction].values()) {
      for (const name of Object.keys(total) as (keyof FlowCounts)[]) total[name] += counts[name]
    }
    return total
  }
}

/** The way between one client and one server: a port for each, which stands in for the other. */
class CandidateRelay {
  readonly #toClient: Socket
  readonly #toServer: Socket
  readonly #flows: FlowByDirection
  /** Where the client sends from, as it was last seen to. */
  #client: AddressInfo | undefined
  #server: { readonly address: string; readonly port: number } | undefined

  static async open(
    policies: NonNullable<LossyLinkInit['policies']>,
    place: number,
    counts: CountsByDirection,
  ): Promise<CandidateRelay> {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const
    for (const socket of sockets) socket.bind(0)
    await Promise.all(sockets.map((socket) => once(socket, 'listening')))
    const flow = (direction: LinkDirection) => new LossyFlow(policies[direction] ?? {}, place, counts[direction])
    return new CandidateRelay(sockets, { toServer: flow('toServer'), toClient: flow('toClient') })
  }

  private constructor([toClient, toServer]: readonly [Socket, Socket], flows: FlowByDirection) {
    this.#toClient = toClient
    this.#toServer = toServer
    this.#flows = flows
    toClient.on('message', (datagram, from) => {
      this.#client = from
      this.#relay('toServer', datagram)
    })
    toServer.on('message', (datagram) => this.#relay('toClient', datagram))
  }

  /** The offer as the server is to see it: with the port that stands in for the client. */
  offerOf(offer: string): string {
    return replaceCandidates(offer, this.#toServer.address().port).text
  }

  answerOf(answer: string): string {
    const { text, first } = replaceCandidates(answer, this.#toClient.address().port)
    this.#server ??= first
    return text
  }

  close(): void {
    this.#toClient.close()
    this.#toServer.close()
  }

  #relay(direction: LinkDirection, datagram: Buffer): void {
    const [socket, target] = direction === 'toServer' ? [this.#toServer, this.#server] : [this.#toClient, this.#client]
    if (target === undefined) return
    for (const sent of this.#through(this.#flows[direction], datagram)) {
      socket.send(sent, target.port, target.address)
    }
  }

  #through(flow: LossyFlow, datagram: Buffer): readonly Buffer[] {
    const [first = 0, type = 0] = datagram
    if (first < FIRST_RTP_BYTE || first > LAST_RTP_BYTE) return [datagram]
    if (type < FIRST_RTCP_TYPE || type > LAST_RTCP_TYPE) return flow.pushRtp(datagram)
    return flow.passesRtcp(datagram) ? [datagram] : []
  }
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  serverPort: number,
  open: () => Promise<CandidateRelay>,
): Promise<void> {
  const body = await textOf(request)
  const isOffer = request.method === 'POST' && request.headers['content-type'] === 'application/sdp'
  const relay = isOffer ? await open() : undefined
  const answered = await fetch(`http://127.0.0.1:${serverPort}${request.url}`, {
    method: request.method ?? 'GET',
    headers: passedHeaders(request),
    ...(body === '' ? {} : { body: relay?.offerOf(body) ?? body }),
    redirect: 'manual',
  })
  const text = await answered.text()
  const headers = Object.fromEntries([...answered.headers].filter(([name]) => !OF_THE_CONNECTION.has(name)))
  response.writeHead(answered.status, headers).end(answered.status === 201 ? (relay?.answerOf(text) ?? text) : text)
}

const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'])

function passedHeaders({ headers }: IncomingMessage): Headers {
  const passed = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !OF_THE_CONNECTION.has(name)) passed.set(name, value)
  }
  return passed
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/**
 * A description with one candidate in each media, instead of all it had; trickled ones are the relay's, too, as it takes
 * what comes from anywhere.
 */
function replaceCandidates(
  text: string,
  port: number,
): { readonly text: string; readonly first: { readonly address: string; readonly port: number } | undefined } {
  let first: { readonly address: string; readonly port: number } | undefined
  const lines = text.split(/\r?\n/u).flatMap((line) => {
    if (!line.startsWith('a=candidate:')) return [line]
    const [, , transport, , address = '', candidatePort] = line.split(' ')
    const isUsable = transport?.toLowerCase() === 'udp' && /^[\d.]+$/u.test(address) && Number(candidatePort) > 9
    if (isUsable && (first === undefined || address === '127.0.0.1')) first = { address, port: Number(candidatePort) }
    return []
  })
  const own = `a=candidate:1 1 udp 2130706431 127.0.0.1 ${port} typ host`
  const media = lines.flatMap((line) => (line.startsWith('a=mid:') ? [line, own] : [line]))
  return { text: media.join('\r\n'), first }
}
