import { execFile } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { pino, type Logger } from 'pino'
import { freeUdpPort } from '../../test/peers/free-port.ts'
import { keep } from '../../test/peers/lifetime.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { rounds } from '../../test/support/soak.ts'
import { findSocketCalls, type SocketCalls } from './socket-calls.ts'
import { SocketBuffers } from './socket-buffers.ts'
import { noDrops, type UdpDrops } from './udp-drops.ts'
import { UdpSending } from './udp-sending.ts'
import { UdpSocket } from './udp-socket.ts'

const { EAGAIN, ECONNREFUSED, EINTR, EINVAL, EIO, ENOSYS, EPERM } = constants.errno
const SIZES = { readbuffer: 4_194_304, writebuffer: 4_194_304 }
const LAST = 'last'
const { calls: real } = findSocketCalls()

type Sent = { readonly socket: UdpSocket; readonly drops: UdpDrops; readonly told: string[] }
/** `sendMessages` of a system, by the real one. */
type Fault = (real: SocketCalls) => SocketCalls['sendMessages']

/** The ways this machine has. */
const WAYS: ReadonlyMap<string, SocketCalls | undefined> = new Map([
  ['Node', undefined],
  ...(real === undefined ? [] : [['sendmmsg', { ...real, canSegment: false }] as const]),
  ...(real?.canSegment ? [['sendmmsg with GSO', real] as const] : []),
])

function sendingBy(calls: SocketCalls | undefined, log: Logger): UdpSending {
  return new UdpSending(log, () => (calls === undefined ? { calls, why: 'not wanted' } : { calls, why: '' }))
}

async function openSender(calls: SocketCalls | undefined, host: string | null = null): Promise<Sent> {
  const told: string[] = []
  const log = pino({}, { write: (line: string) => void told.push((JSON.parse(line) as { msg: string }).msg) })
  return { ...(await openSocket(sendingBy(calls, log), host)), told }
}

async function openSocket(sending: UdpSending, host: string | null, port = 0): Promise<Omit<Sent, 'told'>> {
  const drops = noDrops()
  const buffers = new SocketBuffers(pino({ enabled: false }))
  const socket = await UdpSocket.bind({ host, port }, { sending, buffers, sizes: SIZES, drops, onDatagram: () => {} })
  keep(socket)
  return { socket, drops }
}

/** Hears datagrams up to the last, which are told by their length and first and last bytes. */
class Receiver {
  heard: string[] = []
  readonly #socket: Socket
  readonly #host: string

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.on('message', (datagram) => void this.heard.push(shown(datagram)))
  }

  static async open(host = '127.0.0.1'): Promise<Receiver> {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: SIZES.readbuffer })
    keep({ close: () => void socket.close() })
    socket.bind(0, host)
    await once(socket, 'listening')
    return new Receiver(socket, host)
  }

  target(sender: UdpSocket): readonly [string, number] {
    return [sender.spell(this.#host), this.#socket.address().port]
  }

  async all(): Promise<string[]> {
    await waitFor(() => this.heard.at(-1) === shown(Buffer.from(LAST)), { what: 'the last datagram', intervalMs: 2 })
    const heard = this.heard.slice(0, -1)
    this.heard = []
    return heard
  }
}

function shown(datagram: Buffer): string {
  return `${datagram.length}:${datagram.subarray(0, 4).toString('hex')}:${datagram.subarray(-2).toString('hex')}`
}

let serial = 0
/** Bytes that differ from each other. */
function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 4) bytes.writeUInt32BE((serial += 1), Math.min(at, Math.max(0, length - 4)))
  return bytes
}

function datagramsOf(bytes: Buffer, datagramBytes: number): string[] {
  const count = Math.ceil(bytes.length / datagramBytes)
  return Array.from({ length: count }, (_, index) =>
    shown(bytes.subarray(index * datagramBytes, (index + 1) * datagramBytes)),
  )
}

async function hasIpv6(): Promise<boolean> {
  const socket = createSocket('udp6')
  try {
    socket.bind(0, '::1')
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}

describe('sending by UDP', () => {
  for (const [way, calls] of WAYS) {
    describe(`by ${way}`, () => {
      it('delivers lists and runs to many peers, each in order', async () => {
        const { socket, drops } = await openSender(calls)
        const hosts = ['127.0.0.1', '127.0.0.1', '127.0.0.1', ...((await hasIpv6()) ? ['::1'] : [])]
        const receivers = await Promise.all(hosts.map((host) => Receiver.open(host)))
        const size = fc.oneof(fc.integer({ min: 4, max: 40 }), fc.constantFrom(1200, 1200, 1201, 1472, 9000))
        const list = fc.record({ peer: fc.nat(), sizes: fc.array(size, { minLength: 1, maxLength: 6 }) })
        const run = fc.record({ peer: fc.nat(), datagramBytes: size, runBytes: fc.integer({ min: 4, max: 9000 }) })
        const script = fc.array(fc.oneof(list, run), { minLength: 1, maxLength: 12 })
        await fc.assert(
          fc.asyncProperty(script, async (steps) => {
            const expected = receivers.map((): string[] => [])
            for (const step of steps) {
              const place = step.peer % receivers.length
              const target = receivers[place]!.target(socket)
              if ('sizes' in step) {
                const datagrams = step.sizes.map(bytesOf)
                socket.send(datagrams, ...target)
                expected[place]!.push(...datagrams.map(shown))
              } else {
                const bytes = bytesOf(step.runBytes)
                expected[place]!.push(...datagramsOf(bytes, step.datagramBytes))
                socket.sendRun(bytes, step.datagramBytes, ...target)
                bytes.fill(0)
              }
            }
            for (const receiver of receivers) socket.send([Buffer.from(LAST)], ...receiver.target(socket))
            expect(await Promise.all(receivers.map((receiver) => receiver.all()))).to.eql(expected)
          }),
          { numRuns: rounds(40) },
        )
        expect(drops).to.eql(noDrops())
      })

      it('delivers more within a turn than a batch holds, and longer runs than a message', async () => {
        const { socket, drops } = await openSender(calls)
        const receivers = await Promise.all(Array.from({ length: 16 }, () => Receiver.open()))
        const expected = receivers.map((): string[] => [])
        for (let round = 0; round < 40; round += 1) {
          for (const [place, receiver] of receivers.entries()) {
            const bytes = bytesOf(1200)
            expected[place]!.push(shown(bytes))
            socket.send([bytes], ...receiver.target(socket))
          }
        }
        const long = bytesOf(100 * 100 + 7)
        expected[0]!.push(...datagramsOf(long, 100))
        socket.sendRun(long, 100, ...receivers[0]!.target(socket))
        for (const receiver of receivers) socket.send([Buffer.from(LAST)], ...receiver.target(socket))
        expect(await Promise.all(receivers.map((receiver) => receiver.all()))).to.eql(expected)
        expect(drops).to.eql(noDrops())
      })

      it('goes on behind what is too long, empty, or for nobody', async () => {
        const { socket, drops } = await openSender(calls, '127.0.0.1')
        const [receiver, gone] = await Promise.all([Receiver.open(), freeUdpPort()])
        const target = receiver.target(socket)
        const [one, two, three, four] = [bytesOf(10), bytesOf(10), bytesOf(10), bytesOf(10)]
        socket.send([one, Buffer.alloc(70_000), two], ...target)
        socket.send([bytesOf(10)], '127.0.0.1', gone)
        socket.send([bytesOf(10)], 'not an address', 9)
        socket.send([bytesOf(10)], '255.255.255.255', 9)
        socket.send([three, Buffer.alloc(0)], ...target)
        socket.sendRun(Buffer.alloc(0), 10, ...target)
        socket.sendRun(bytesOf(140_000), 70_000, ...target)
        socket.send([four, Buffer.from(LAST)], ...target)
        expect(await receiver.all()).to.eql([one, two, three, Buffer.alloc(0), four].map(shown))
        await waitFor(() => drops.unsent === 5)
      })

      it('sends what was sent before it was closed, and nothing after', async () => {
        const { socket, drops } = await openSender(calls)
        const receiver = await Receiver.open()
        const target = receiver.target(socket)
        const bytes = bytesOf(10)
        socket.send([bytes, Buffer.from(LAST)], ...target)
        socket.close()
        socket.send([bytesOf(10)], ...target)
        socket.sendRun(bytesOf(25), 10, ...target)
        expect(await receiver.all()).to.eql([shown(bytes)])
        expect(drops).to.eql({ ...noDrops(), overflow: 4 })
      })

      it('keeps the order of what two sockets send', async () => {
        const sending = sendingBy(calls, pino({ enabled: false }))
        const [{ socket }, other] = [await openSocket(sending, null), await openSocket(sending, null)]
        const receiver = await Receiver.open()
        const sent = Array.from({ length: 6 }, () => bytesOf(10))
        for (const [index, bytes] of sent.entries()) {
          const sender = index % 2 === 0 ? socket : other.socket
          sender.send([bytes], ...receiver.target(sender))
        }
        socket.send([Buffer.from(LAST)], ...receiver.target(socket))
        expect(await receiver.all()).to.eql(sent.map(shown))
      })

      it('lets nobody else have its port, with the codes of the system, and leaks no descriptor', async () => {
        const { socket } = await openSender(calls, '127.0.0.1')
        const { port } = socket.address
        const other = createSocket({ type: 'udp4', reuseAddr: true })
        keep({ close: () => void other.close() })
        other.bind(port, '127.0.0.1')
        expect(await once(other, 'error')).to.have.nested.property('0.code', 'EADDRINUSE')
        const sending = sendingBy(calls, pino({ enabled: false }))
        const codeOf = (host: string) => openSocket(sending, host, port).catch((error: unknown) => error)
        const before = descriptors()
        for (let count = 0; count < 20; count += 1) {
          expect(await codeOf('127.0.0.1')).to.have.property('code', 'EADDRINUSE')
          expect(await codeOf('192.0.2.1')).to.have.property('code', 'EADDRNOTAVAIL')
        }
        await waitFor(() => descriptors() <= before + 5)
      })
    })
  }

  it('tells which way was taken with the first socket, and why not the other', async () => {
    expect((await openSender(undefined)).told).to.eql(['UDP is sent by Node, one datagram at a time'])
    if (real === undefined) return
    expect((await openSender({ ...real, canSegment: false })).told).to.eql([
      'UDP is sent in batches, by sendmmsg without GSO',
    ])
  })

  it('takes IPv4 alone on a machine without IPv6', async function () {
    if (real === undefined) return this.skip()
    const bind: SocketCalls['bind'] = (host, port) => {
      if (host.includes(':')) throw Object.assign(new Error('socket EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' })
      return real.bind(host, port)
    }
    const { socket } = await openSender({ ...real, bind })
    expect(socket.address.host).to.equal('0.0.0.0')
  })

  describe('where the system refuses', () => {
    /** Sends 5 messages of 3 datagrams to two peers in turn, with what the system does; gives back what each has heard. */
    async function sendWith(fault: Fault, canSegment: boolean) {
      const { socket, drops } = await openSender({ ...real!, canSegment, sendMessages: fault(real!) })
      const receivers = [await Receiver.open(), await Receiver.open()] as const
      const expected: [string[], string[]] = [[], []]
      for (let index = 0; index < 5; index += 1) {
        const bytes = bytesOf(3000)
        expected[index % 2]!.push(...datagramsOf(bytes, 1000))
        socket.sendRun(bytes, 1000, ...receivers[index % 2]!.target(socket))
      }
      for (const receiver of receivers) socket.send([Buffer.from(LAST)], ...receiver.target(socket))
      return { expected, drops, heard: await Promise.all(receivers.map((receiver) => receiver.all())) }
    }

    /** The results of the first calls: an error, or how many messages go; the real ones follow. */
    const first =
      (...results: readonly number[]): Fault =>
      (system) => {
        let made = 0
        return (fd, headers, count) => {
          const result = results[(made += 1) - 1]
          if (result !== undefined && result < 0) return result
          return system.sendMessages(fd, headers, Math.min(result ?? count, count))
        }
      }

    const HEALED: readonly [string, Fault][] = [
      ['an interrupted call', first(-EINTR, 1, -EINTR)],
      ['calls that take less than they are given', first(1, 2, 1)],
      ['a full buffer', first(2, -EAGAIN)],
      ['a full buffer at once', first(-EAGAIN)],
      ['a kernel without the call', () => () => -ENOSYS],
    ]
    for (const [what, fault] of HEALED) {
      for (const canSegment of real === undefined ? [] : [false, real.canSegment]) {
        it(`loses nothing by ${what}${canSegment ? ', with GSO' : ''}`, async () => {
          const { expected, heard, drops } = await sendWith(fault, canSegment)
          expect(heard).to.eql(expected)
          expect(drops).to.eql(noDrops())
        })
      }
    }

    const SEGMENTS: readonly [string, Fault][] = [
      ['a path too narrow for segments', first(1, -EINVAL)],
      ['a device that can not do segments', first(-EIO, 3, -EIO)],
      ['a full buffer in between', first(-EIO, 2, -EAGAIN)],
    ]
    for (const [what, fault] of real?.canSegment ? SEGMENTS : []) {
      it(`sends datagrams one by one for ${what}`, async () => {
        const { expected, heard, drops } = await sendWith(fault, true)
        expect(heard).to.eql(expected)
        expect(drops).to.eql(noDrops())
      })
    }

    it('does without segments where they are refused again and again', async function () {
      if (!real?.canSegment) return this.skip()
      let isSegmented = true
      let refused = 0
      const sendMessages: SocketCalls['sendMessages'] = (fd, headers, count) => {
        isSegmented = !isSegmented
        if (isSegmented) return real.sendMessages(fd, headers, count)
        refused += 1
        return -EIO
      }
      const { socket } = await openSender({ ...real, sendMessages })
      const receiver = await Receiver.open()
      const target = receiver.target(socket)
      for (let turn = 0; turn < 64; turn += 1) {
        socket.sendRun(bytesOf(20), 10, ...target)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(refused).to.equal(64)
      socket.send([Buffer.from(LAST)], ...target)
      isSegmented = false
      expect(await receiver.all()).to.have.length(128)
    })

    it('loses only the datagrams that an error is of, and counts them', async function () {
      if (real === undefined) return this.skip()
      for (const error of [ECONNREFUSED, EPERM]) {
        const { expected, heard, drops } = await sendWith(first(1, -error), false)
        const [lost] = expected[0].splice(1, 1)
        expect(lost).to.be.a('string')
        expect(heard).to.eql(expected)
        expect(drops).to.eql({ ...noDrops(), unsent: 1 })
      }
    })
  })

  it('says nothing on stderr, where other warnings stay', async () => {
    const file = fileURLToPath(new URL('socket-calls.ts', import.meta.url))
    const script = `import { findSocketCalls } from '${file}'; findSocketCalls(); process.emitWarning('something else')`
    const { stderr } = await promisify(execFile)(process.execPath, [
      '--conditions=source',
      '--input-type=module',
      '-e',
      script,
    ])
    expect(stderr).to.include('something else').and.not.include('FFI')
  })
})

function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
}
