import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { Connection } from './connection.ts'
import { ClientHandshake } from './wire/handshake/client-handshake.ts'
import { ServerHandshake } from './wire/handshake/server-handshake.ts'
import { serializeChunks } from './wire/chunk/chunk-writer.ts'
import { serializeMessage, type Message } from './wire/message/message.ts'
import { WORK_PER_TURN } from './work.ts'

const COMMANDS = 5000
const CHUNK_SIZE_BYTES = 65_536
const FC_PUBLISH: Message = {
  kind: 'command',
  name: 'FCPublish',
  transactionId: 5,
  commandObject: null,
  args: ['x'],
  amf3: false,
}
const PING: Message = { kind: 'pingRequest', timestampMs: 1 }

function bytesOf(message: Message, chunkSizeBytes = CHUNK_SIZE_BYTES): Buffer {
  const { typeId, payload } = serializeMessage(message)
  return serializeChunks({ chunkStreamId: 3, typeId, messageStreamId: 0, timestamp: 0 }, [payload], chunkSizeBytes)
}

/** Counts the messages of one connection, in all and in each turn of the event loop. */
class TurnCounter {
  total = 0
  most = 0
  #thisTurn = 0

  count(): void {
    this.total++
    if (this.#thisTurn++ === 0) setImmediate(() => (this.#thisTurn = 0))
    this.most = Math.max(this.most, this.#thisTurn)
  }
}

describe('Connection', () => {
  let server: Server
  let accepted: (socket: Socket) => void
  const sockets = new Set<Socket>()

  beforeEach(async () => {
    server = createServer((socket) => accepted(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await once(server.close(), 'close')
  })

  /** A client past the handshake, whose messages go to `message` at the server's end. */
  async function dial(
    message: () => Promise<void> | undefined,
    closed: (reason: string) => void = () => {},
    alive = () => {},
  ) {
    const { promise, resolve } = Promise.withResolvers<Connection>()
    accepted = (socket) => {
      sockets.add(socket)
      const handshake = new ServerHandshake({ random: randomFillSync })
      const events = { message, media: () => void message(), alive, handshaken: () => {}, closed }
      resolve(new Connection(socket, events, handshake))
    }
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    sockets.add(socket)
    socket.setNoDelay(true).on('error', () => {})
    const handshake = new ClientHandshake({ random: randomFillSync })
    socket.write(handshake.start())
    const s0s1s2 = await collect(socket, 3073)
    socket.write(handshake.push(s0s1s2).reply!)
    socket.write(bytesOf({ kind: 'setChunkSize', sizeBytes: CHUNK_SIZE_BYTES }))
    return { socket, connection: await promise }
  }

  async function collect(socket: Socket, sizeBytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let length = 0; length < sizeBytes;) {
      const [part] = (await once(socket, 'data')) as [Buffer]
      parts.push(part)
      length += part.length
    }
    return Buffer.concat(parts)
  }

  it('handles a bounded number of messages in a turn, and all of them in the end', async () => {
    const turns = new TurnCounter()
    const { socket } = await dial(() => void turns.count())
    socket.write(Buffer.concat(Array<Buffer>(COMMANDS).fill(bytesOf(FC_PUBLISH))))
    await waitFor(() => turns.total === COMMANDS, { what: 'all messages' })
    // In one turn of the loop, it may be read from the socket and have the turn it waited for.
    expect(turns.most).to.be.at.most(2 * WORK_PER_TURN)
  })

  it('has one command done in a turn where its commands are waited for', async () => {
    const turns = new TurnCounter()
    const { socket } = await dial(() => {
      turns.count()
      return Promise.resolve()
    })
    socket.write(Buffer.concat(Array<Buffer>(100).fill(bytesOf(FC_PUBLISH))))
    await waitFor(() => turns.total === 100, { what: 'all messages' })
    expect(turns.most).to.be.at.most(2)
  })

  it('tells of pings and of answers to pings, which say that the peer is there', async () => {
    let signs = 0
    const { socket } = await dial(
      () => undefined,
      () => {},
      () => (signs += 1),
    )
    socket.write(Buffer.concat([bytesOf(PING), bytesOf(FC_PUBLISH), bytesOf({ kind: 'pingResponse', timestampMs: 1 })]))
    await waitFor(() => signs === 2, { what: 'two signs' })
  })

  it('sends the answers of a turn in one write', async () => {
    const { socket, connection } = await dial(() => undefined)
    let writes = 0
    const { socket: served } = connection
    const write = served.write.bind(served)
    served.write = ((...args: Parameters<typeof write>) => {
      writes++
      return write(...args)
    }) as typeof write
    const pong = bytesOf({ kind: 'pingResponse', timestampMs: 1 }, 128)
    const answers = collect(socket, 100 * pong.length)
    socket.write(Buffer.concat(Array<Buffer>(100).fill(bytesOf(PING))))
    expect(
      (await answers).equals(
        Buffer.concat(
          Array<Buffer>(100)
            .fill(pong)
            .map((bytes) => withControlId(bytes)),
        ),
      ),
    ).to.equal(true)
    expect(writes).to.be.below(50)
  })

  it('ends a peer that sends what is answered and does not read, and says how much waits', async () => {
    const reasons: string[] = []
    const { socket } = await dial(
      () => undefined,
      (reason) => void reasons.push(reason),
    )
    socket.pause()
    const pings = Buffer.concat(Array<Buffer>(2000).fill(bytesOf(PING)))
    while (reasons.length === 0) await new Promise<void>((resolve) => socket.write(pings, () => resolve()))
    expect(reasons[0]).to.match(/^the peer does not read: \d+ bytes of answers wait for it$/u)
  })
})

/** The same message on chunk stream 2, where control messages go. */
function withControlId(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[0] = 2
  return copy
}
