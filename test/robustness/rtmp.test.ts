import { expect } from 'chai'
import { newAmfObject } from 'sluice/sdk/media'
import { attackedServer } from './support/attacked-server.ts'
import { BadClient } from './support/bad-client.ts'
import { HEALTHY_VIEWERS } from './support/healthy-session.ts'
import { noise } from './support/noise.ts'
import { VIDEO_CONFIG } from './support/numbered-video.ts'
import {
  aggregate,
  beginnings,
  chunk,
  COMMAND,
  nestedCommand,
  unfinished,
  VIDEO,
  wholeMessage,
} from './support/rtmp-bytes.ts'
import { command, messageBytes, RtmpClient } from './support/rtmp-client.ts'
import type { ServerProcess } from './support/server-process.ts'

const CONFIG = `
global:
  publish: { publishtimeout: 6s }
  subscribe: { waittimeout: 2s }
`
/** What a bad client may cost at most; a connection's limits allow two messages of the largest size. */
const MIB = 1024 * 1024

const SAID_AFTER_CONNECT: readonly { readonly name: string; readonly bytes: Buffer; readonly reason: RegExp }[] = [
  { name: 'random bytes', bytes: noise(MIB), reason: /^malformed/ },
  {
    name: '65,536 chunk streams',
    bytes: beginnings(65_536),
    reason: /^malformed: .*chunk streams/,
  },
  { name: 'deeply nested AMF', bytes: nestedCommand(10_000), reason: /^malformed: .*nested/ },
  { name: 'a command that claims 16 MB', bytes: chunk(3, COMMAND, 0xff_ff_ff), reason: /^malformed: .*bytes, above/ },
  {
    name: 'large messages that it does not finish',
    bytes: unfinished(4),
    reason: /^malformed: unfinished messages of \d{7} bytes/,
  },
  {
    name: 'a chunk size of 0',
    bytes: messageBytes({ kind: 'setChunkSize', sizeBytes: 0 }),
    reason: /^malformed: chunk size/,
  },
  { name: 'a command without end', bytes: wholeMessage(COMMAND, Buffer.from([2, 255])), reason: /^malformed: AMF/ },
  {
    name: 'a stream path with control characters',
    bytes: messageBytes(command('publish', 0, 'a\u0000b\u001b[31m', 'live'), 1),
    reason: /character/,
  },
  { name: 'a stream path with ..', bytes: messageBytes(command('publish', 0, '../../etc/passwd'), 1), reason: /part/ },
  { name: 'a stream path too long', bytes: messageBytes(command('play', 0, 'x'.repeat(2000)), 1), reason: /too long/ },
  { name: 'an address too long', bytes: messageBytes(command('play', 0, 'x'.repeat(60_000)), 1), reason: /address of/ },
  {
    name: 'a message stream that there is not',
    bytes: messageBytes(command('play', 0, 'a'), 1_000_000),
    reason: /^no such message stream$/,
  },
]

describe('RTMP and bad clients', () => {
  let server: ServerProcess
  attackedServer(CONFIG, (started) => (server = started))

  it('ends one that sends random bytes', async () => {
    const client = await BadClient.dial(server.ports.rtmp)
    client.socket.write(noise(MIB))
    await client.expectEnd(server, /^malformed: not RTMP/)
  })

  it('ends one that leaves within the handshake', async () => {
    const client = await BadClient.dial(server.ports.rtmp)
    client.socket.end(Buffer.concat([Buffer.of(3), noise(700)]))
    await client.expectEnd(server, /left/)
  })

  for (const { name, bytes, reason } of SAID_AFTER_CONNECT) {
    it(`ends one that sends ${name}`, async () => {
      const { bad } = await BadClient.connected(server.ports.rtmp)
      bad.socket.write(bytes)
      await bad.expectEnd(server, reason)
    })
  }

  it('shows no more than the start of what a client calls its command', async () => {
    const rtmp = new RtmpClient({ port: server.ports.rtmp })
    const bad = new BadClient(rtmp.socket, rtmp.since)
    await rtmp.handshaken
    bad.socket.write(messageBytes({ kind: 'setChunkSize', sizeBytes: 65_536 }))
    bad.socket.write(messageBytes(command('x'.repeat(50_000), 1)))
    await bad.expectEnd(server, /before connect/)
  })

  it('ends one that sends large messages that it does not finish while it publishes', async () => {
    const rtmp = await RtmpClient.publish({ port: server.ports.rtmp }, 'unfinished')
    const bad = new BadClient(rtmp.socket, rtmp.since)
    bad.socket.write(unfinished(57))
    await bad.expectEnd(server, /^malformed: unfinished messages of 3\d{7} bytes/)
  })

  it('ends one that sends an aggregate of a hundred thousand messages while it publishes', async () => {
    const rtmp = await RtmpClient.publish({ port: server.ports.rtmp }, 'aggregate')
    const bad = new BadClient(rtmp.socket, rtmp.since)
    bad.socket.write(aggregate(100_000))
    await bad.expectEnd(server, /^malformed: aggregate/)
  })

  it('ends one whose video is malformed while it publishes', async () => {
    const rtmp = await RtmpClient.publish({ port: server.ports.rtmp }, 'malformed')
    const bad = new BadClient(rtmp.socket, rtmp.since)
    bad.socket.write(chunk(6, VIDEO, 5, Buffer.from([0x17, 0x00, 0, 0, 0])))
    bad.socket.write(chunk(6, VIDEO, 2, Buffer.from([0x9f, 0xff])))
    await bad.expectEnd(server, /^malformed/)
  })

  const FLOODS = [
    { name: 'pings', bytes: messageBytes({ kind: 'pingRequest', timestampMs: 1 }) },
    { name: 'commands', bytes: messageBytes(command('getStreamLength', 5, 'x'), 1) },
    { name: 'pauses', bytes: messageBytes(command('pause', 5, true, 0), 1) },
  ]
  for (const { name, bytes } of FLOODS) {
    it(`ends one that floods it with ${name} and reads nothing`, async () => {
      const { bad } = await BadClient.connected(server.ports.rtmp)
      bad.socket.write(messageBytes(command('play', 0, 'nothing-here'), 1))
      bad.stopReading()
      await bad.flood(Buffer.concat(Array<Buffer>(500).fill(bytes)))
      // Where the system takes most of the answers, it may be refused first what it asked to play.
      await bad.expectEnd(server, /does not read|too many|nobody publishes/)
    })
  }

  it('answers twenty that send thousands of commands at once, and nobody else notices', async () => {
    const flood = Buffer.concat(Array<Buffer>(5000).fill(messageBytes(command('FCPublish', 7, 'x'), 1)))
    const clients = await Promise.all(Array.from({ length: 20 }, () => RtmpClient.connect({ port: server.ports.rtmp })))
    const answered = clients.map((client) => {
      let answers = 0
      return client.answer(({ transactionId }) => transactionId === 7 && ++answers === 5000)
    })
    for (const client of clients) client.socket.write(flood)
    await Promise.all(answered)
    for (const client of clients) client.close()
  })

  it('reads no more metadata than a source can have reason to send', async () => {
    const rtmp = await RtmpClient.publish({ port: server.ports.rtmp }, 'metadata')
    const bad = new BadClient(rtmp.socket, rtmp.since)
    const values = (index: number) => Object.assign(newAmfObject(), { videocodecid: index, text: 'x'.repeat(30_000) })
    for (let index = 0; index < 100; index++) {
      rtmp.send({ kind: 'data', name: '@setDataFrame', values: ['onMetaData', values(index)], amf3: false }, 1)
    }
    rtmp.send({ kind: 'video', payload: VIDEO_CONFIG }, 1)
    rtmp.close()
    const { droppedData } = await bad.expectOneEnd(server, /left|timeout/)
    expect(droppedData).to.be.above(80)
  })

  it('ends one that floods it with streams', async () => {
    const { bad } = await BadClient.connected(server.ports.rtmp)
    await bad.flood(messageBytes(command('createStream', 5)))
    await bad.expectEnd(server, /too many message streams/)
  })

  it('ends one that asks for a stream again and again', async () => {
    const { bad } = await BadClient.connected(server.ports.rtmp)
    const play = messageBytes(command('play', 0, 'nothing-here'), 1)
    await bad.flood(Buffer.concat(Array<Buffer>(500).fill(play)))
    await bad.expectEnd(server, /too many|not found/)
    expect((await server.sessions()).subscribers).to.equal(HEALTHY_VIEWERS)
  })

  it('gives the ids of message streams again, so that there are few', async () => {
    const { rtmp } = await BadClient.connected(server.ports.rtmp)
    const ids = new Set<unknown>()
    for (let time = 10; time < 60; time++) {
      rtmp.send(command('createStream', time))
      await rtmp.answer(({ transactionId, args }) => transactionId === time && ids.add(args[0]).size > 0)
      rtmp.send(command('deleteStream', 0, 2))
    }
    expect([...ids]).to.deep.equal([2])
    rtmp.close()
  })

  it('ends a publisher that sends nothing', async () => {
    const rtmp = await RtmpClient.publish({ port: server.ports.rtmp }, 'silent')
    await new BadClient(rtmp.socket, rtmp.since).expectEnd(server, /^publish timeout$/)
  })

  it('endures two thousand connections that leave at once', async () => {
    const leave = async () => {
      const client = await BadClient.dial(server.ports.rtmp)
      client.socket.destroy()
    }
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, leave))
  })
})
