import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { keep } from '../../peers/lifetime.ts'
import { RtspMessageReader, serializeFrame, type RtspMessage } from './message-reader.ts'
import { openPortPair, type PortPair } from './port-pair.ts'

/** A packet of G.711 each so many milliseconds. */
const PACKET_MS = 20
const PACKET_BYTES = 160
const SSRC = 0x5eed
export const PCMU_MEDIA = 'm=audio 0 RTP/AVP 0\r\na=control:track1\r\n'

/** A request, and the connection that it came by. */
export type ScriptedRequest = {
  readonly method: string
  readonly uri: string
  readonly headers: ReadonlyMap<string, string>
  readonly connection: ScriptedConnection
}

/** What is in an answer besides `CSeq`, or in its place. */
export type ScriptedAnswer = {
  readonly status?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Answers a request; undefined for what a plain source answers, null for nothing at all. */
export type Script = (request: ScriptedRequest) => ScriptedAnswer | undefined | null

export type ScriptedSourceInit = {
  readonly script?: Script
  /** Behind the head of the session description. Default one medium of G.711. */
  readonly medias?: string
  /** Attributes of the session. */
  readonly attributes?: string
  /** The header field of its sessions. Default `scripted;timeout=60`. */
  readonly session?: string
  /** Makes what SETUP is answered of its transport; undefined for no such field. Default the transport as it is. */
  readonly transportOf?: (transport: string) => string | undefined
  /** Sent in the connection behind each packet. */
  readonly stray?: string
  /** Sends no datagrams. */
  readonly swallowsDatagrams?: boolean
  /** What an answer says of the number of its request. Default that number. */
  readonly cseqOf?: (cseq: string) => string
}

/** An RTSP server that plays G.711 at the pace of the clock, and does whatever a script says. It ends with the test. */
export class ScriptedSource {
  readonly requests: ScriptedRequest[] = []
  /** Those that are open. */
  readonly connections = new Set<ScriptedConnection>()
  readonly init: ScriptedSourceInit
  #port = 0
  #server: Server | undefined

  private constructor(init: ScriptedSourceInit) {
    this.init = init
  }

  static async start(init: ScriptedSourceInit = {}): Promise<ScriptedSource> {
    const source = new ScriptedSource(init)
    await source.listen()
    keep({ close: () => source.kill() })
    return source
  }

  get port(): number {
    return this.#port
  }

  /** @param user with its `@` */
  url(user = '', scheme = 'rtsp'): string {
    return `${scheme}://${user}127.0.0.1:${this.#port}/camera`
  }

  /** The methods of all requests, in order. */
  get methods(): string[] {
    return this.requests.map(({ method }) => method)
  }

  /** Takes connections, on the port that it had. */
  async listen(): Promise<void> {
    this.#server = createServer((socket) => {
      const connection = new ScriptedConnection(this, socket)
      this.connections.add(connection)
      socket.on('close', () => this.connections.delete(connection))
    })
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Ends as a process that is killed. */
  kill(): void {
    this.#server?.close()
    for (const connection of this.connections) connection.kill()
  }
}

/** What one client has with a scripted source. */
export class ScriptedConnection {
  /** What came in the connection besides messages. */
  readonly frames: { readonly channel: number; readonly data: Buffer }[] = []
  readonly #source: ScriptedSource
  readonly #socket: Socket
  readonly #reader = new RtspMessageReader()
  /** Sends a packet of the medium that was set up first: RTP, or RTCP. */
  #send: ((packet: Buffer, isRtcp: boolean) => void) | undefined
  #ports: PortPair | undefined
  #timer: NodeJS.Timeout | undefined
  #packets = 0
  #isHung = false
  #last = Promise.resolve()

  constructor(source: ScriptedSource, socket: Socket) {
    this.#source = source
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('close', () => this.#ended())
    socket.on('data', (bytes: Buffer) => {
      for (const part of this.#reader.push(bytes)) {
        if ('channel' in part) this.frames.push(part)
        else this.#last = this.#last.then(() => this.#take(part))
      }
    })
  }

  kill(): void {
    this.#socket.resetAndDestroy()
  }

  /** Sends no media any more, and stays. */
  fallSilent(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Neither sends nor answers anything any more, and stays. */
  hang(): void {
    this.fallSilent()
    this.#isHung = true
  }

  /** Says that nothing more comes (RTCP BYE). */
  sayGoodbye(): void {
    this.fallSilent()
    this.#send?.(Buffer.from(`81cb0001${SSRC.toString(16).padStart(8, '0')}`, 'hex'), true)
  }

  async #take({ startLine, headers }: RtspMessage): Promise<void> {
    const [method = '', uri = ''] = startLine.split(' ')
    const request = { method, uri, headers, connection: this }
    this.#source.requests.push(request)
    if (this.#isHung) return
    const scripted = this.#source.init.script?.(request)
    if (scripted === null) return
    const answer = scripted ?? (await this.#plain(request))
    const { cseqOf = (cseq: string) => cseq } = this.#source.init
    const fields = { CSeq: cseqOf(headers.get('cseq') ?? ''), 'Content-Length': String(answer.body?.length ?? 0) }
    const lines = Object.entries({ ...fields, ...answer.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#socket.write(`RTSP/1.0 ${answer.status ?? '200 OK'}\r\n${lines.join('')}\r\n${answer.body ?? ''}`)
    if (method === 'PLAY' && answer.status === undefined) this.#play()
  }

  async #plain({ method, headers }: ScriptedRequest): Promise<ScriptedAnswer> {
    const { medias = PCMU_MEDIA, attributes = '', session: sessionText = 'scripted;timeout=60' } = this.#source.init
    const session = { Session: sessionText }
    switch (method) {
      case 'OPTIONS':
        return { headers: { Public: 'DESCRIBE, SETUP, PLAY, PAUSE, TEARDOWN, GET_PARAMETER' } }
      case 'DESCRIBE': {
        const body = `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n${attributes}${medias}`
        return { headers: { 'Content-Base': `${this.#source.url()}/`, 'Content-Type': 'application/sdp' }, body }
      }
      case 'SETUP': {
        const { transportOf = (text: string) => text } = this.#source.init
        const transport = transportOf(await this.#setUp(headers.get('transport') ?? ''))
        return { headers: transport === undefined ? session : { ...session, Transport: transport } }
      }
      case 'PAUSE':
        this.fallSilent()
        return { headers: session }
      case 'TEARDOWN':
        this.fallSilent()
        return { headers: session }
      default:
        return { headers: session }
    }
  }

  async #setUp(transport: string): Promise<string> {
    const channel = /interleaved=(\d+)/u.exec(transport)?.[1]
    if (channel !== undefined) {
      this.#send ??= (data, isRtcp) => {
        this.#socket.write(serializeFrame({ channel: Number(channel) + (isRtcp ? 1 : 0), data }))
        this.#socket.write(this.#source.init.stray ?? '', 'latin1')
      }
      return transport
    }
    const ports = (this.#ports ??= await openPortPair())
    const port = Number(/client_port=(\d+)/u.exec(transport)?.[1])
    this.#send = (packet, isRtcp) => {
      if (this.#source.init.swallowsDatagrams === true) return
      if (isRtcp) ports.rtcp.send(packet, port + 1, '127.0.0.1')
      else ports.rtp.send(packet, port, '127.0.0.1')
    }
    return `${transport};server_port=${ports.port}-${ports.port + 1}`
  }

  #play(): void {
    this.fallSilent()
    this.#timer = setInterval(() => this.#sendPacket(), PACKET_MS)
    this.#sendPacket()
  }

  #sendPacket(): void {
    const packet = Buffer.alloc(12 + PACKET_BYTES, 0xff)
    packet.writeUInt16BE(0x8000, 0)
    packet.writeUInt16BE(this.#packets % 0x1_0000, 2)
    packet.writeUInt32BE((this.#packets * PACKET_BYTES) % 2 ** 32, 4)
    packet.writeUInt32BE(SSRC, 8)
    this.#packets += 1
    this.#send?.(packet, false)
  }

  #ended(): void {
    this.fallSilent()
    this.#ports?.rtp.close()
    this.#ports?.rtcp.close()
    this.#ports = undefined
    this.#send = undefined
  }
}
