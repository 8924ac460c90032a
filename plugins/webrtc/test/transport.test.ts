import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket as TcpSocket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../../../test/peers/free-port.ts'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { TransportRig, type RiggedTransport } from '../fixtures/transport-rig.ts'
import { WeriftPeer, type WeriftPeerOptions } from '../fixtures/werift-peer.ts'
import { rtpPacket } from '../fixtures/rtp-packet.ts'
import { srtpCipherLibrary } from '../srtp/create-contexts.ts'
import { CONTENT } from '../transport/dtls-record.ts'
import type { PeerTransport } from '../transport/peer-transport.ts'
import { hasIntegrity, parseStun, serializeStun } from '../transport/stun-message.ts'
import { MAX_UNCHECKED } from '../transport/tcp-connections.ts'
import { serializeFrames } from '../transport/tcp-framing.ts'
import { MAX_CONNECTING } from '../transport/transport-ports.ts'

/** The header of a record with a handshake message of four bytes. */
const CLIENT_HELLO = Buffer.from('16fefd0000000000000000000401000000', 'hex')
const [HELLO_REQUEST_TYPE, CLIENT_HELLO_TYPE, SERVER_HELLO_TYPE] = [0, 1, 2]
const RECEIVER_REPORT = Buffer.from([0x80, 201, 0, 1, 0, 0, 0, 7])

describe('the transport of a WebRTC peer', () => {
  let rig: TransportRig

  async function start(ports?: readonly string[]): Promise<TransportRig> {
    rig = await TransportRig.start(ports)
    keep({ close: () => rig.stop() })
    return rig
  }

  /** Both ends, connected. */
  async function connected(options: WeriftPeerOptions = {}): Promise<RiggedTransport & { readonly peer: WeriftPeer }> {
    const rigged = await rig.create(options.controlling === false ? 'offerer' : 'answerer')
    const peer = await WeriftPeer.open(options)
    rigged.transport.connect(peer.description)
    const failure = peer.connect(rigged.transport.local)
    await waitFor(() => rigged.record.isConnected || rigged.record.reason !== undefined)
    expect(rigged.record.reason).to.equal(undefined)
    expect(await failure).to.equal(undefined)
    return { ...rigged, peer }
  }

  async function exchangesMedia(
    { transport, record, peer }: RiggedTransport & { readonly peer: WeriftPeer },
    at = 0,
  ): Promise<void> {
    const before = {
      rtp: record.rtpPackets.length,
      sent: peer.rtpPackets.length,
      rtcp: peer.rtcpCount,
      back: record.rtcpPackets.length,
    }
    await peer.sendRtp(at + 1, Buffer.from('from the peer'))
    await peer.sendRtcp()
    for (let index = 0; index < 20; index += 1) {
      const { header, payload } = rtpPacket(at + index, Buffer.alloc(index === 19 ? 300 : 1000, index))
      transport.write(header, header.length, payload)
    }
    transport.flush()
    transport.sendRtcp(RECEIVER_REPORT)
    await waitFor(() => peer.rtpPackets.length === before.sent + 20 && peer.rtcpCount > before.rtcp)
    await waitFor(() => record.rtpPackets.length === before.rtp + 1 && record.rtcpPackets.length > before.back)
    expect(record.rtpPackets.at(-1)?.subarray(12).toString()).to.equal('from the peer')
    expect(peer.rtpPackets.at(-1)?.subarray(12)).to.eql(Buffer.alloc(300, 19))
  }

  for (const controlling of [true, false]) {
    for (const isDtlsClient of [true, false]) {
      it(`connects where the peer is ${controlling ? 'controlling' : 'controlled'} and ${isDtlsClient ? 'active' : 'passive'}`, async () => {
        await start(['udp:0'])
        const ends = await connected({ controlling, isDtlsClient })
        await exchangesMedia(ends)
        // The passive end chooses, and the peer has chosen this.
        const profile = isDtlsClient ? srtpCipherLibrary().profiles[0] : 'SRTP_AEAD_AES_128_GCM'
        expect(ends.transport.status).to.include({ state: 'connected', profile })
        expect(ends.transport.status.pair).to.match(/^udp \S+:\d+ 127\.0\.0\.1:\d+$/)
      })
    }
  }

  it('connects over TCP', async () => {
    await start(['tcp:0'])
    const ends = await connected({ useTcp: true })
    await exchangesMedia(ends)
    expect(ends.transport.status.pair).to.match(/^tcp \S+:\d+ 127/)
  })

  it('has one port at all addresses of the machine, also when the plugin was replaced', async () => {
    const port = await freePort()
    await start([`udp:${port}`, `tcp:${port}`])
    await exchangesMedia(await connected({ addresses: ['::1'] }))
    await rig.server.replace()
    const ends = await connected()
    await exchangesMedia(ends)
    const ports = ends.transport.local.candidates.map((line) => line.split(' ')[5])
    expect(ports.length).to.be.at.least(4)
    expect(new Set(ports)).to.eql(new Set([String(port)]))
  })

  it('connects over IPv6', async () => {
    await start(['udp:0'])
    const ends = await connected({ addresses: ['::1'] })
    await exchangesMedia(ends)
    expect(ends.transport.status.pair).to.match(/^udp \[\S+\]:\d+ \[::1\]:\d+$/)
  })

  it('takes AES-CM where the peer has no other profile', async () => {
    await start(['udp:0'])
    const ends = await connected({ profiles: [1] })
    await exchangesMedia(ends)
    expect(ends.transport.status.profile).to.equal('SRTP_AES128_CM_HMAC_SHA1_80')
  })

  it('has a port for each session of a range, which is free again afterwards', async () => {
    await start(['udp:41200-41299'])
    const ends = await connected()
    await exchangesMedia(ends)
    expect(ends.transport.status.pair).to.match(/^udp \S+:412\d\d 127/)
  })

  for (const ports of [['udp:0'], ['udp:0', 'tcp:0']]) {
    it(`goes on through an ICE restart with ${ports.join(' and ')}`, async () => {
      await start(ports)
      const ends = await connected()
      await exchangesMedia(ends)
      const { transport, peer } = ends
      const restarted = transport.restartIce(peer.beginRestart())
      expect(restarted).to.eql(transport.local.ice)
      expect(await peer.restart(restarted, transport.local.candidates)).to.equal(undefined)
      await exchangesMedia(ends, 100)
    })
  }

  it('gives nothing to a peer whose certificate was not announced', async () => {
    await start(['udp:0'])
    const { transport, record } = await rig.create()
    const peer = await WeriftPeer.open()
    const [fingerprint] = peer.description.fingerprints
    const value = fingerprint!.value.replace(/^../, (byte) => (byte === 'AA' ? 'BB' : 'AA'))
    transport.connect({ ...peer.description, fingerprints: [{ algorithm: 'sha-256', value }] })
    void peer.connect(transport.local)
    await waitFor(() => record.reason !== undefined)
    expect(record.reason?.text).to.include('the certificate of the peer has another fingerprint')
    expect(record.isConnected).to.equal(false)
    expect(peer.rtpPackets).to.have.length(0)
  })

  for (const isDtlsClient of [true, false]) {
    it(`gives nothing to a peer that shows a certificate whose key it does not have, as ${isDtlsClient ? 'client' : 'server'}`, async () => {
      await start(['udp:0'])
      const { transport, record } = await rig.create()
      const peer = await WeriftPeer.open({ isDtlsClient, hasForeignKey: true })
      transport.connect(peer.description)
      void peer.connect(transport.local)
      await waitFor(() => record.reason !== undefined)
      expect(record.reason?.text).to.include('the peer does not have the key of its certificate')
      expect(record.isConnected).to.equal(false)
    })
  }

  it('refuses descriptions without a fingerprint that can be compared', async () => {
    await start(['udp:0'])
    const { transport } = await rig.create()
    const description = {
      ...transport.local,
      setup: 'active',
      fingerprints: [{ algorithm: 'md5', value: 'AA' }],
    } as const
    expect(() => transport.connect(description)).to.throw('fingerprint')
  })

  it('says what was tried where no way is found, and ends then', async () => {
    await start(['udp:0'])
    const { transport, record } = await rig.create()
    const silent = await UdpClient.open()
    const candidates = [`1 1 udp 2122260223 127.0.0.1 ${silent.port} typ host`, '1 1 udp 1 name.local 9 typ host']
    transport.connect({ ...transport.local, setup: 'active', candidates })
    await waitFor(() => silent.received.length > 0)
    expect(transport.status.state).to.equal('checking')
    rig.advance(31_000)
    await waitFor(() => record.reason !== undefined)
    expect(record.reason).to.include({ code: 'failed' })
    expect(record.reason?.text).to.match(new RegExp(`udp 127.0.0.1:\\d+ → 127.0.0.1:${silent.port}: no answer`))
    expect(rig.ports.counts).to.eql({ all: 0, connecting: 0 })
  })

  it('says so when the handshake does not begin', async () => {
    await start(['udp:0'])
    const { transport, record } = await rig.create()
    const peer = await WeriftPeer.open()
    transport.connect(peer.description)
    await peer.checkOnly(transport.local)
    await waitFor(() => transport.status.state === 'handshake')
    rig.advance(21_000)
    await waitFor(() => record.reason !== undefined)
    expect(record.reason?.text).to.include('the DTLS handshake took too long: nothing came from the peer')
  })

  it('ends with a peer that says good-bye, and with one that is gone for thirty seconds', async () => {
    await start(['udp:0'])
    const closing = await connected()
    closing.transport.close()
    await waitFor(() => closing.peer.state === 'closed')
    const gone = await connected()
    const { signs } = gone.record
    rig.advance(7000)
    await waitFor(() => gone.record.signs > signs, { what: 'consent' })
    await gone.peer.close()
    rig.advance(31_000)
    await waitFor(() => gone.record.reason !== undefined)
    expect(gone.record.reason).to.eql({ code: 'left', text: 'the peer no longer answers' })
  })

  it('ends with a peer whose connection was closed, and who does not come back', async () => {
    await start(['tcp:0'])
    const { peer, record } = await connected({ useTcp: true })
    await peer.close()
    const isOver = () => {
      rig.advance(1000)
      return record.reason
    }
    expect(await waitFor(isOver)).to.eql({ code: 'left', text: 'the connection was closed' })
  })

  it('says good-bye, and hears it, also when nothing is kept of the handshake any more', async () => {
    await start(['udp:0'])
    for (const isDtlsClient of [true, false]) {
      const closing = await connected({ isDtlsClient })
      await exchangesMedia(closing)
      closing.transport.close()
      await waitFor(() => closing.peer.state === 'closed')
      const closed = await connected({ isDtlsClient })
      await exchangesMedia(closed)
      await closed.peer.sayGoodbye()
      await waitFor(() => closed.record.reason !== undefined)
      expect(closed.record.reason).to.eql({ code: 'left', text: 'the peer closed the connection' })
    }
  })

  it('begins no other handshake for a peer that asks for one under the keys of the first, and ends as ever', async () => {
    await start(['udp:0'])
    for (const isDtlsClient of [true, false]) {
      const ends = await connected({ isDtlsClient })
      for (const type of [CLIENT_HELLO_TYPE, SERVER_HELLO_TYPE, HELLO_REQUEST_TYPE])
        await ends.peer.sendRecord(CONTENT.handshake, handshakeMessage(type))
      await exchangesMedia(ends)
      await ends.peer.sayGoodbye()
      await waitFor(() => ends.record.reason !== undefined)
      expect(ends.record.reason).to.eql({ code: 'left', text: 'the peer closed the connection' })
    }
    expect(rig.ports.counts).to.eql({ all: 0, connecting: 0 })
  })

  it('answers nothing but signed checks of its sessions, however much comes, while others go on', async () => {
    await start(['udp:0'])
    const ends = await connected()
    const { transport } = await rig.create()
    const [address, port] = endOf(transport.local.candidates)
    const { usernameFragment } = transport.local.ice
    const client = await UdpClient.open()
    const forged = (username: string) =>
      serializeStun({ class: 'request', transactionId: Buffer.alloc(12, 3), username, priority: 1 }, 'not the password')
    for (let index = 0; index < 2000; index += 1) {
      client.send(forged(`${usernameFragment}:x`), port, address)
      client.send(forged('nobody:x'), port, address)
      client.send(CLIENT_HELLO, port, address)
      client.send(RECEIVER_REPORT, port, address)
      // The machine drops datagrams of a burst that nobody has read.
      if (index % 10 === 0) await turn()
    }
    await exchangesMedia(ends)
    const [fragment, password] = [`${usernameFragment}:x`, transport.local.ice.password]
    const check = { class: 'request', transactionId: Buffer.alloc(12, 4), username: fragment, priority: 1 } as const
    await waitFor(() => {
      client.send(serializeStun(check, password), port, address)
      return client.received.length > 0
    })
    expect(new Set(client.received.map((bytes) => parseStun(bytes)?.transactionId.toString('hex')))).to.eql(
      new Set(['04'.repeat(12)]),
    )
    expect(transport.status.checks).to.have.length(1)
    expect(rig.ports.counts).to.eql({ all: 2, connecting: 1 })
  })

  it('takes two sessions of one address of a peer apart by the names in their checks', async () => {
    await start(['udp:0'])
    const client = await UdpClient.open()
    const sessions = [await rig.create(), await rig.create()]
    for (const [index, { transport }] of [...sessions, ...sessions].entries()) {
      const { usernameFragment, password } = transport.local.ice
      const check = {
        class: 'request',
        transactionId: Buffer.alloc(12, index),
        username: `${usernameFragment}:x`,
        priority: 1,
      } as const
      const [address, port] = endOf(sessions[0]!.transport.local.candidates)
      client.send(serializeStun(check, password), port, address)
      await waitFor(() =>
        client.received.some((bytes) => hasIntegrity(bytes, password) && parseStun(bytes)!.transactionId[0] === index),
      )
    }
  })

  it('gives each session its own of what comes from one address', async () => {
    await start(['udp:0'])
    const ends = await connected()
    const newer = await rig.create()
    await ends.peer.send(signedCheck(newer.transport))
    await waitFor(() => newer.transport.status.checks.length === 1)
    await exchangesMedia(ends)
    await ends.peer.sayGoodbye()
    await waitFor(() => ends.record.reason !== undefined)
    expect(ends.record.reason?.text).to.equal('the peer closed the connection')
    expect(newer.record.reason).to.equal(undefined)
  })

  it('keeps a bounded number of sessions that never connect, and none in the end', async () => {
    await start(['udp:0'])
    const ends = await connected()
    const made = []
    for (let index = 0; index < 1000; index += 1) made.push(await rig.create())
    expect(rig.ports.counts).to.eql({ all: MAX_CONNECTING + 1, connecting: MAX_CONNECTING })
    expect(made[0]?.record.reason?.text).to.include('made room')
    await exchangesMedia(ends)
    for (const { transport } of made) transport.close()
    expect(rig.ports.counts).to.eql({ all: 1, connecting: 0 })
  })

  it('keeps its sessions when the plugin is replaced, also for checks from new addresses, and takes no new ones', async () => {
    await start(['udp:0', 'tcp:0'])
    const ends = await connected()
    await rig.server.replace()
    expect(rig.generations).to.have.length(2)
    const [older] = rig.generations
    await exchangesMedia(ends)
    const { usernameFragment, password } = ends.transport.local.ice
    const [address, port] = endOf(ends.transport.local.candidates)
    const client = await UdpClient.open()
    const check = {
      class: 'request',
      transactionId: Buffer.alloc(12, 9),
      username: `${usernameFragment}:x`,
      priority: 1,
    } as const
    client.send(serializeStun(check, password), port, address)
    await waitFor(() => client.received.length > 0)
    expect(await rig.create('answerer', older).catch((error: Error) => error.message)).to.include('newer version')
    await exchangesMedia(await connected())
  })

  it('closes connections that show nothing, and keeps few of them', async () => {
    await start(['tcp:0'])
    const port = rig.server.port()
    const garbage = await TcpClient.open(port)
    garbage.socket.write(serializeFrames([Buffer.from('GET / HTTP/1.1')]))
    await waitFor(() => garbage.isClosed)
    const endless = await TcpClient.open(port)
    endless.socket.write(Buffer.from([0xff, 0xff]))
    await waitFor(() => endless.isClosed)
    const silent: TcpClient[] = []
    for (let index = 0; index < MAX_UNCHECKED + 5; index += 1) silent.push(await TcpClient.open(port))
    await waitFor(() => silent.filter(({ isClosed }) => isClosed).length >= 5)
    expect(silent.at(-1)?.isClosed).to.equal(false)
  })

  it('closes the connections of a peer that makes more of them than are checked', async () => {
    await start(['tcp:0'])
    const { transport } = await rig.create()
    const clients: TcpClient[] = []
    for (let index = 0; index < 60; index += 1) {
      const client = await TcpClient.open(rig.server.port())
      client.socket.write(serializeFrames([signedCheck(transport)]))
      clients.push(client)
    }
    await waitFor(() => clients.filter(({ isClosed }) => isClosed).length === 12)
    expect(clients.slice(0, 48).some(({ isClosed }) => isClosed)).to.equal(false)
  })
})

/** A check that a peer of the session may send. */
function signedCheck({ local: { ice } }: PeerTransport): Buffer {
  const username = `${ice.usernameFragment}:x`
  const transactionId = randomBytes(12)
  return serializeStun({ class: 'request', transactionId, username, priority: 1 }, ice.password)
}

/** One that is complete, and has nothing in it. */
function handshakeMessage(type: number): Buffer {
  return Buffer.from([type, ...Array.from({ length: 11 }, () => 0)])
}

/** Where the first candidate is. */
function endOf(candidates: readonly string[]): [address: string, port: number] {
  const words = candidates[0]!.split(' ')
  return [words[4]!, Number(words[5])]
}

/** A peer that speaks by hand; it ends with the test. */
class UdpClient {
  readonly received: Buffer[] = []
  readonly #socket: Socket

  static async open(): Promise<UdpClient> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new UdpClient(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (bytes) => void this.received.push(bytes))
    keep({ close: () => void socket.close() })
  }

  get port(): number {
    return this.#socket.address().port
  }

  send(bytes: Buffer, port: number, address: string): void {
    this.#socket.send(bytes, port, address)
  }
}

class TcpClient {
  readonly socket: TcpSocket
  isClosed = false

  static async open(port: number): Promise<TcpClient> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new TcpClient(socket)
  }

  private constructor(socket: TcpSocket) {
    this.socket = socket
    socket.on('error', () => {}).on('close', () => void (this.isClosed = true))
    socket.resume()
    keep({ close: () => void socket.destroy() })
  }
}
