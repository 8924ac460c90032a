import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, Socket, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { FLV_TAG_TYPE, MalformedError } from 'sluice/sdk/media'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { rtmpSocket } from '../../../test/support/rtmp-socket.ts'
import { startServer } from '../../../test/support/server.ts'
import { RtmpClientError } from './client-error.ts'
import type { RtmpClientOptions } from './client-options.ts'
import { RtmpClient } from './rtmp-client.ts'
import { Connection } from '../connection.ts'
import { ServerHandshake } from '../wire/handshake/server-handshake.ts'
import type { RawMessage } from '../wire/message/raw-message.ts'

async function failureOf(work: Promise<unknown>): Promise<RtmpClientError> {
  try {
    await work
  } catch (error) {
    expect(error).to.be.instanceOf(RtmpClientError)
    return error as RtmpClientError
  }
  throw new Error('it did not fail')
}

type ClientInit = Omit<RtmpClientOptions, 'socket'>

const clientOf = (init: ClientInit) => new RtmpClient({ ...init, socket: rtmpSocket(init.url) })
const connect = (init: ClientInit) => RtmpClient.connect({ ...init, socket: rtmpSocket(init.url) })

/** Runs a server that accepts connections and sends nothing. */
async function silentServer(use: (port: number, sockets: readonly Socket[]) => Promise<void>): Promise<void> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    sockets.push(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port, sockets)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

describe('RtmpClient', () => {
  it('publishes to a server and plays from it', async () => {
    const server = await startServer()
    const url = server.rtmp('live/client')
    const publisher = await connect({ url })
    await publisher.publish()
    const received: string[] = []
    const onMedia = ({ typeId, payload }: RawMessage) => {
      if (typeId === FLV_TAG_TYPE.audio) received.push(payload.toString('hex'))
    }
    const player = await connect({ url, onMedia })
    await player.play()
    publisher.sendMedia(FLV_TAG_TYPE.audio, 0, [Buffer.from('af001210', 'hex')])
    publisher.sendMedia(FLV_TAG_TYPE.audio, 0, [Buffer.from('af0121001f', 'hex')])
    await waitFor(() => received.length === 2, { what: 'what was published' })
    expect(received).to.eql(['af001210', 'af0121001f'])
    player.close()
    publisher.close('enough')
    expect(await publisher.closed).to.equal('enough')
  })

  it('says by which status a server refused', async () => {
    const server = await startServer()
    const url = server.rtmp('live/refused')
    const first = await connect({ url })
    await first.publish()
    const second = await connect({ url })
    const { message } = await failureOf(second.publish())
    expect(message).to.equal('the server answered to publish: NetStream.Publish.BadName')
    await second.closed
    first.close()
  })

  it('says why no connection came about', async () => {
    let port = 0
    await silentServer(async (free) => void (port = free))
    const url = `rtmp://127.0.0.1:${port}/live/x?key=secret`
    const { message } = await failureOf(connect({ url }))
    expect(message)
      .to.match(/ECONNREFUSED/u)
      .and.not.match(/secret/u)
  })

  it('gives up a server that does not answer', async () => {
    await silentServer(async (port, sockets) => {
      // The handshake has the same limit, and has to be done within it.
      const client = clientOf({ url: `rtmp://127.0.0.1:${port}/live/x`, answerTimeoutMs: 3000 })
      const connecting = failureOf(client.connect())
      await waitFor(() => sockets.length === 1, { what: 'the connection' })
      const events = { message: () => undefined, media: () => {}, handshaken: () => {}, closed: () => {} }
      const silent = new Connection(sockets[0]!, events, new ServerHandshake({ random: randomFillSync }))
      expect((await connecting).message).to.match(/no answer to connect in time/u)
      silent.cut('the test is over')
    })
  })

  it('gives up a server that does not get through the handshake', async () => {
    await silentServer(async (port, sockets) => {
      const client = clientOf({ url: `rtmp://127.0.0.1:${port}/live/x`, answerTimeoutMs: 50 })
      const connecting = failureOf(client.connect())
      await waitFor(() => sockets.length === 1, { what: 'the connection' })
      sockets[0]?.write(Buffer.of(3, 0, 0))
      expect((await connecting).message).to.match(/handshake timeout/u)
    })
  })

  it('fails what is under way, and what is asked later, when the server closes the connection', async () => {
    await silentServer(async (port, sockets) => {
      const client = clientOf({ url: `rtmp://127.0.0.1:${port}/live/x` })
      const connecting = failureOf(client.connect())
      await once(client.socket, 'connect')
      await waitFor(() => sockets.length === 1, { what: 'the connection' })
      sockets[0]?.destroy()
      expect((await connecting).message).to.match(/^the connection ended before the handshake was answered/u)
      expect((await failureOf(client.call('createStream', null))).message).to.match(/before createStream/u)
    })
  })

  it('takes no URL that is none', () => {
    expect(() => new RtmpClient({ url: 'http://127.0.0.1/live/x', socket: new Socket() })).to.throw(MalformedError)
  })
})
