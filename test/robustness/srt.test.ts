import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { TestCaller } from '../../plugins/srt/fixtures/test-caller.ts'
import { waitFor } from '../peers/wait-for.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { rounds } from '../support/soak.ts'
import { attackedServer } from './support/attacked-server.ts'
import { HEALTHY_VIEWERS } from './support/healthy-session.ts'
import { noise } from './support/noise.ts'
import { ServerProcess } from './support/server-process.ts'
import { conclusion, controlPacket, dataPacket, induction, SrtAttacker, words } from './support/srt-attacker.ts'

const PASSPHRASE = 's3cret-passphrase'
const CONFIG = `srt: { passphrases: { ^secret/: ${PASSPHRASE} }, subscribe: { waittimeout: 200ms } }`
const TARGET = 'live/healthy'
/** For a machine whose test floods it. */
const LATENCY_MS = 1000
const HANDSHAKE_BYTES = 64
/** Datagrams of a flood, and how many of them at once: the machine drops what nobody has read. */
const FLOOD = rounds(2000)
const DATAGRAMS_PER_TURN = 20
const MAX_HEAP_GROWTH_BYTES = 8 * 1024 * 1024
const SILENT_CALLERS = 400
/** Callers that wait, of one address. */
const MAX_WAITING = 256
/** Between two looks at the sessions of the server, each of which is two connections. */
const LOOK_MS = 200
const SEQUENCE_END = 2 ** 31
const TYPE = { keepAlive: 1, acknowledgement: 2, lossReport: 3, shutdown: 5, ackAck: 6, dropRequest: 7 } as const
const USER_DEFINED = 0x7fff
const KEY_REQUEST = 3
/** Of what the server sends to those who call by hand. */
const FIRST = 1000
/** Pictures of 2,000 bytes, 25 a second, in MPEG-TS and packets of SRT. */
const STREAM_BYTES_PER_MS = 65
/** What a player gets at most, of what the stream has: twice that is sent again, and some more at the beginning. */
const MAX_MULTIPLE = 4

/** Lets callers be let in, most of them to publish, who never say anything again. */
async function callSilently(all: readonly SrtAttacker[], count: number): Promise<void> {
  const cookies = await Promise.all(all.map((one) => one.cookie()))
  await flood(count, (index) => {
    const who = index % all.length
    const one = all[who]!
    const streamId = index % 10 > 0 ? `publish:/live/silent${index}` : `subscribe:/${TARGET}`
    one.send(conclusion({ cookie: cookies[who]!, streamId, socketId: one.newSocketId() }))
  })
}

async function flood(count: number, send: (index: number) => void): Promise<void> {
  for (let index = 0; index < count; index++) {
    send(index)
    if (index % DATAGRAMS_PER_TURN === 0) await turn()
  }
}

describe('SRT and bad clients', () => {
  let server: ServerProcess
  let viewer: TestCaller
  attackedServer(
    CONFIG,
    async (started) => {
      server = started
      viewer = await TestCaller.call({
        port: server.ports.srt,
        streamId: `subscribe:/${TARGET}`,
        latencyMs: LATENCY_MS,
      })
      await viewer.answer
      await mediaComes()
    },
    1,
  )

  beforeEach(() => (viewer.payloads.length = 0))

  afterEach(async () => {
    await mediaComes()
    expect(viewer.connection.statistics()).to.include({ pktRcvDropTotal: 0 })
  })

  after(() => viewer.close())

  function mediaComes(): Promise<unknown> {
    const before = viewer.payloads.length
    return waitFor(() => viewer.payloads.length > before + 5, { what: 'media by SRT' })
  }

  function attackersGone(): Promise<unknown> {
    const gone = async () => {
      const { streams, subscribers } = await server.sessions()
      return streams === 1 && subscribers === HEALTHY_VIEWERS + 1
    }
    return waitFor(gone, { what: 'the attackers to be gone', intervalMs: LOOK_MS })
  }

  function attacker(address?: string): Promise<SrtAttacker> {
    return SrtAttacker.open(server.ports.srt, address)
  }

  function attackers(count: number): Promise<SrtAttacker[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => attacker(`127.0.1.${(index % 250) + 1}`)))
  }

  /** Whether all that was sent until now has been read. */
  async function settled(): Promise<void> {
    await (await attacker()).cookie()
  }

  it('says nothing to garbage, of any length and from however many addresses', async () => {
    const all = await attackers(50)
    const random = randomNumbers(7)
    await flood(FLOOD, (index) => {
      const bytes = noise(Math.floor(random() * 1500), index)
      // Half of it is for no socket, as handshakes are, and half of that says that it is one.
      if (index % 2 === 0 && bytes.length >= 16) bytes.writeUInt32BE(0, 12)
      if (index % 4 === 0 && bytes.length >= 16) bytes.writeUInt32BE(0x8000_0000)
      all[index % all.length]!.send(bytes)
    })
    await settled()
    expect(all.flatMap(({ answers }) => answers)).to.eql([])
  })

  it('answers with no more than it was sent, before it knows that the address is true', async () => {
    const all = await attackers(50)
    await flood(FLOOD / 4, (index) => {
      const one = all[index % all.length]!
      const whole = induction(one.newSocketId(), index % 7)
      one.send(whole.subarray(0, index % 3 === 0 ? index % (whole.length + 1) : whole.length))
    })
    await settled()
    for (const { sentBytes, answeredBytes, answers } of all) {
      expect(answeredBytes).to.be.within(1, sentBytes)
      for (const { length } of answers) expect(length).to.equal(HANDSHAKE_BYTES)
    }
  })

  it('says nothing to conclusions without a cookie of its own, and keeps nothing of them', async () => {
    const [honest, thief] = [await attacker('127.0.1.1'), await attacker('127.0.1.2')]
    const sameAddress = await attacker('127.0.1.1')
    const cookie = await honest.cookie()
    const random = randomNumbers(3)
    await flood(FLOOD, (index) => {
      const one = index % 2 === 0 ? thief : sameAddress
      const guess = index % 5 === 0 ? cookie : Math.floor(random() * 2 ** 32)
      one.send(conclusion({ cookie: guess, streamId: `publish:/live/thief${index}`, socketId: one.newSocketId() }))
    })
    await settled()
    expect([...thief.answers, ...sameAddress.answers]).to.eql([])
    expect((await server.sessions()).streams).to.equal(1)
  })

  it('refuses version 4, and conclusions that are cut or changed at random', async () => {
    const one = await attacker()
    expect(await one.call({ streamId: 'publish:/live/old', version: 4 })).to.equal(-8)
    const cookie = await one.cookie()
    const whole = conclusion({ cookie, streamId: 'subscribe:/live/nobody', socketId: one.newSocketId() })
    for (let length = 0; length < whole.length; length++) one.send(whole.subarray(0, length))
    const random = randomNumbers(11)
    await flood(FLOOD / 4, () => {
      const bytes = Buffer.from(whole)
      for (let change = 0; change < 3; change++) {
        // Of everything but the cookie.
        const at = 16 + 32 + Math.floor(random() * (bytes.length - 48))
        bytes[random() < 0.3 ? 16 + Math.floor(random() * 28) : at] = Math.floor(random() * 256)
      }
      one.send(bytes)
    })
    await settled()
    expect(one.answeredBytes).to.be.below(one.sentBytes)
  })

  it('plays on while callers are let in that say nothing', async () => {
    const all = await attackers(20)
    await callSilently(all, SILENT_CALLERS)
    await waitFor(async () => (await server.sessions()).streams > SILENT_CALLERS / 2, {
      what: 'them to be let in',
      intervalMs: LOOK_MS,
    })
    await attackersGone()
  })

  it('bounds what waits for a decision, and answers the others at once', async () => {
    const one = await attacker()
    const cookie = await one.cookie()
    const keys = Buffer.concat([Buffer.from('12202901000000000200020000000404', 'hex'), noise(16), noise(24)])
    await flood(4 * MAX_WAITING, (index) => {
      const streamId = index % 2 === 0 ? 'publish:/secret/a' : `subscribe:/live/nobody${index}`
      one.send(conclusion({ cookie, streamId, socketId: one.newSocketId(), ...(index % 2 === 0 && { keys }) }))
    })
    await waitFor(() => one.answers.length > MAX_WAITING, { what: 'refusals' })
    for (const { length } of one.answers) expect(length).to.equal(HANDSHAKE_BYTES)
    expect(await (await attacker('127.0.1.9')).call({ streamId: 'publish:/secret/a' })).to.equal(-11)
  })

  it('takes nothing that is for sockets of others', async () => {
    const thief = await attacker('127.0.2.1')
    const of = await (await attacker('127.0.2.2')).call({ streamId: 'publish:/live/victim' })
    expect(of).to.be.above(0)
    await flood(FLOOD / 4, (index) => {
      const destination = index % 2 === 0 ? of : index
      const types = Object.values(TYPE)
      thief.send(
        controlPacket(types[index % types.length]!, { destination, content: noise(16, index) }),
        dataPacket(destination, index, noise(1316, index)),
      )
    })
    await settled()
    expect(thief.answers).to.eql([])
    expect((await server.sessions()).streams).to.equal(2)
    await attackersGone()
  })

  /** What a peer may say to whom it is connected with, all of it wrong. */
  function lies(destination: number, index: number): Buffer[] {
    const number = (index * 7919) % SEQUENCE_END
    const range = words((0x8000_0000 | number) >>> 0, (number + 2 ** 30 - 1) % SEQUENCE_END)
    const to = (type: number, content: Buffer, information = 0) =>
      controlPacket(type, { destination, content, information })
    return [
      to(TYPE.lossReport, Buffer.concat(Array.from({ length: 150 }, () => range))),
      to(TYPE.lossReport, words(0x8000_0000, SEQUENCE_END - 1)),
      to(TYPE.lossReport, words(0x8000_0000)),
      to(TYPE.acknowledgement, words(number, 1, 1, 0, 0, 0, 0), index),
      to(TYPE.acknowledgement, words(number, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 1, 1, 1), index),
      to(TYPE.acknowledgement, words(number)),
      to(TYPE.ackAck, Buffer.alloc(4), index),
      to(TYPE.dropRequest, words(number, number + 2 ** 29), 1),
      to(TYPE.dropRequest, words(0, SEQUENCE_END - 1), 1),
      controlPacket(USER_DEFINED, { destination, subtype: KEY_REQUEST, content: noise(60, index) }),
      // Any type but that which takes its leave.
      controlPacket(index % USER_DEFINED === TYPE.shutdown ? 0 : index % USER_DEFINED, {
        destination,
        content: noise(index % 200, index),
      }),
      to(TYPE.keepAlive, Buffer.alloc(0)),
    ]
  }

  for (const streamId of ['publish:/live/liar', `subscribe:/${TARGET}`]) {
    it(`bears what is wrong in a connection: ${streamId}`, async () => {
      const liar = await attacker()
      const destination = await liar.call({ streamId })
      expect(destination).to.be.above(0)
      await flood(1000, (index) => {
        liar.send(...lies(destination, index))
        liar.send(dataPacket(destination, (index * 104_729) % SEQUENCE_END, noise(index % 1457, index)))
      })
      await settled()
      const { streams, subscribers } = await server.sessions()
      expect(streams + subscribers).to.equal(HEALTHY_VIEWERS + 3)
      await attackersGone()
      expect(liar.answeredBytes).to.be.below(liar.sentBytes)
    })
  }

  for (const claimedRttUs of [undefined, 1]) {
    it(`bounds what it sends to a player that asks for all again and again${claimedRttUs ? ', and claims to be near' : ''}`, async () => {
      const greedy = await attacker()
      const destination = await greedy.call({ streamId: `subscribe:/${TARGET}` })
      const startMs = performance.now()
      const known = greedy.answeredBytes
      const report = controlPacket(TYPE.lossReport, {
        destination,
        content: words(0x8000_0000 + FIRST, FIRST + 20_000),
      })
      const far = words(FIRST, claimedRttUs ?? 0, 0, 8192, 0, 0, 0)
      const acknowledgement = controlPacket(TYPE.acknowledgement, { destination, information: 1, content: far })
      const ask = () => {
        greedy.send(...(claimedRttUs === undefined ? [] : [acknowledgement]), report)
        return performance.now() - startMs > 2000
      }
      await waitFor(ask, { what: 'it to ask', intervalMs: 2 })
      const streamBytes = STREAM_BYTES_PER_MS * (performance.now() - startMs)
      expect(greedy.answeredBytes - known).to.be.within(2 * streamBytes, MAX_MULTIPLE * streamBytes)
      await attackersGone()
    })
  }
})

/** Apart from the others: while the server counts what it holds it says nothing, and its sessions of SRT end. */
describe('SRT and the memory of a server', () => {
  it('is what it was when silent callers are gone, however many there were', async () => {
    const server = await ServerProcess.start(CONFIG)
    const round = async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => SrtAttacker.open(server.ports.srt)))
      await callSilently(all, SILENT_CALLERS)
      await flood(FLOOD / 4, (index) => {
        const one = all[index % all.length]!
        one.send(induction(index + 1), conclusion({ cookie: index, streamId: `publish:/live/${index}`, socketId: 1 }))
      })
      const streams = async () => (await server.sessions()).streams
      await waitFor(async () => (await streams()) > SILENT_CALLERS / 2, { what: 'callers', intervalMs: LOOK_MS })
      await waitFor(async () => (await streams()) === 0, { what: 'them to be gone', intervalMs: LOOK_MS })
    }
    const isEmpty = async () => {
      const held = await server.holdings()
      return held.publishers + held.subscribers + held.streams === 0 && held
    }
    await round()
    // What lists of sessions that have ended keep, and code that is used for the first time takes.
    const before = await waitFor(isEmpty, { what: 'nothing to be left', intervalMs: 2000 })
    await round()
    const { heapBytes, timers } = await waitFor(isEmpty, { what: 'nothing to be left', intervalMs: 2000 })
    expect(timers).to.be.at.most(before.timers + 20)
    expect(heapBytes).to.be.below(before.heapBytes + MAX_HEAP_GROWTH_BYTES)
    expect(server.problems).to.eql([])
    await server.stop()
  })
})
