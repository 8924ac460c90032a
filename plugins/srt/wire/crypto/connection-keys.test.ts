import { inspect } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { acceptKeys, offerKeys, type ConnectionKeys } from './connection-keys.ts'
import { encrypt, readDataPacket } from './fixtures/crypt.ts'
import libsrt from './fixtures/libsrt-1.5.1.json' with { type: 'json' }
import { parseKeyMaterial } from './key-material.ts'
import type { SendingKeys } from './sending-keys.ts'

const PASSPHRASE = 'a passphrase nobody knows'
const TS_PACKET_BYTES = 188
const SYNC_BYTE = 0x47
const CONTROL_HEADER_BYTES = 16

const open: ConnectionKeys[] = []

/** Notes keys to be closed. */
function opened(keys: ConnectionKeys | undefined): ConnectionKeys {
  open.push(keys!)
  return keys!
}

afterEach(() => {
  for (const { sending, receiving } of open.splice(0)) {
    sending.close()
    receiving.close()
  }
})

function expectTransportStream(payload: Buffer | undefined, what: string): void {
  expect(payload, what).to.have.length(TS_PACKET_BYTES)
  expect(payload![0], what).to.equal(SYNC_BYTE)
  // What ffmpeg sends here is SDT, PAT, PMT and video, by their PIDs.
  expect(payload!.readUInt16BE(1) & 0x1fff, what).to.be.oneOf([0x11, 0, 0x1000, 0x100])
}

describe('keys of an SRT connection', () => {
  for (const { keyBytes, passphrase, keyRequest, datagrams } of libsrt.sessions) {
    it(`are those of libsrt for ${keyBytes} bytes`, async () => {
      const request = Buffer.from(keyRequest, 'hex')
      const keys = opened(await acceptKeys(request, passphrase))
      expect(keys.sending.message.toString('hex')).to.equal(keyRequest)
      for (const [index, hex] of datagrams.entries()) {
        const packet = readDataPacket(Buffer.from(hex, 'hex'))!
        const clear = keys.receiving.decrypt(packet.flag, packet.sequence, packet.payload)
        expectTransportStream(clear, `${index}`)
        expect(encrypt(keys.sending, packet.sequence, clear!)).to.eql(packet)
      }
      expect(await acceptKeys(request, `${passphrase}!`)).to.equal(undefined)
    })
  }

  it('are renewed as libsrt does', async () => {
    const { passphrase, keyRequest, datagrams } = libsrt.renewals
    const { receiving } = opened(await acceptKeys(Buffer.from(keyRequest, 'hex'), passphrase))
    const flags: number[] = []
    for (const [index, hex] of datagrams.entries()) {
      const datagram = Buffer.from(hex, 'hex')
      const packet = readDataPacket(datagram)
      if (packet === undefined) {
        const message = datagram.subarray(CONTROL_HEADER_BYTES)
        expect(parseKeyMaterial(message).flags).to.eql([1, 2])
        const answer = await receiving.take(message)
        expect(answer?.toString('hex')).to.equal(message.toString('hex'))
        continue
      }
      if (packet.flag !== flags.at(-1)) flags.push(packet.flag)
      expectTransportStream(receiving.decrypt(packet.flag, packet.sequence, packet.payload), `${index}`)
    }
    expect(flags).to.eql([1, 2, 1, 2, 1])
  })

  for (const keyBytes of [16, 24, 32] as const) {
    it(`serve both directions after one exchange, with ${keyBytes} bytes`, async () => {
      const caller = opened(await offerKeys({ passphrase: PASSPHRASE, keyBytes }))
      const listener = opened(await acceptKeys(caller.sending.message, PASSPHRASE))
      expect(listener.sending.message.equals(caller.sending.message)).to.equal(true)
      for (const [from, to] of [
        [caller, listener],
        [listener, caller],
      ] as const) {
        const { flag, sequence, payload } = encrypt(from.sending, 0x7fff_ffff, 'a text that nobody else reads')
        expect(flag).to.equal(1)
        expect(from.sending.request).to.equal(undefined)
        expect(payload.includes('nobody')).to.equal(false)
        expect(to.receiving.decrypt(flag, sequence, payload)!.toString()).to.equal('a text that nobody else reads')
        expect(to.receiving.decrypt(2, sequence, payload)).to.equal(undefined)
      }
    })
  }

  it('are unlike those of any other connection', async () => {
    const one = opened(await offerKeys({ passphrase: PASSPHRASE, keyBytes: 16 }))
    const other = opened(await offerKeys({ passphrase: PASSPHRASE, keyBytes: 16 }))
    const [first, second] = [one, other].map(({ sending }) => parseKeyMaterial(sending.message))
    expect(first!.salt.equals(second!.salt)).to.equal(false)
    expect(encrypt(one.sending, 1, 'same').payload.equals(encrypt(other.sending, 1, 'same').payload)).to.equal(false)
  })

  it('are not taken from a broken message, or with another passphrase', async () => {
    const { sending } = opened(await offerKeys({ passphrase: PASSPHRASE, keyBytes: 16 }))
    const error = await acceptKeys(sending.message.subarray(1), PASSPHRASE).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(MalformedError)
    expect(await acceptKeys(sending.message, 'a passphrase nobody knew')).to.equal(undefined)
    const changed = Buffer.from(sending.message)
    changed[changed.length - 1]! ^= 1
    expect(await acceptKeys(changed, PASSPHRASE)).to.equal(undefined)
  })

  it('show no secret to who prints them', async () => {
    const keyHex = '5e'.repeat(16)
    const random = (bytes: number) => Buffer.alloc(bytes, 0x5e)
    const keys = opened(await offerKeys({ passphrase: PASSPHRASE, keyBytes: 16, random }))
    const printed = inspect(keys, { depth: 9, showHidden: true }) + JSON.stringify(keys)
    expect(printed).to.not.include('nobody').and.not.include('5e 5e 5e').and.not.include(keyHex)
  })

  it('decrypt everything through many renewals, whatever is lost, late, repeated and out of order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(95), async (seed, lossPercent) => {
        const caller = opened(await offerKeys({ passphrase: PASSPHRASE, keyBytes: 16, renewal: RENEWAL }))
        const listener = opened(await acceptKeys(caller.sending.message, PASSPHRASE, { renewal: RENEWAL }))
        const there = new Direction(caller, listener, seed, lossPercent)
        const back = new Direction(listener, caller, seed + 1, lossPercent)
        for (let step = 0; step < 1500; step++) {
          await there.step()
          await back.step()
        }
        expect(there.renewals).to.be.greaterThan(9)
        expect(back.renewals).to.be.greaterThan(9)
      }),
      { numRuns: rounds(20) },
    )
  })
})

const RENEWAL = { renewAfterPackets: 64, announcePackets: 16 }
/** By how many packets something is late at most. */
const MAX_DELAY = 12
/** A request that does come through: in time before the key comes in force without an answer. */
const SURVIVING = 9

/** A link that packets and Key Material messages take, a packet a step. */
class Direction {
  readonly #from: ConnectionKeys
  readonly #to: ConnectionKeys
  readonly #lossPercent: number
  readonly #arrivals: (() => Promise<void>)[][] = Array.from({ length: MAX_DELAY + 1 }, () => [])
  readonly #sent: { readonly sequence: number; readonly flag: 1 | 2 }[] = []
  readonly #requests: Buffer[] = []
  #random: number
  #requestCount = 0
  #step = 0
  renewals = 0

  constructor(from: ConnectionKeys, to: ConnectionKeys, seed: number, lossPercent: number) {
    this.#from = from
    this.#to = to
    this.#random = seed
    this.#lossPercent = lossPercent
  }

  async step(): Promise<void> {
    const { sending } = this.#from
    this.#sendPacket(sending)
    const late = this.#sent.at(-1 - this.#pick(3 * MAX_DELAY))
    if (late !== undefined && this.#pick(4) === 0) this.#transmit(sending, late.sequence, late.flag)
    const { request } = sending
    if (request !== undefined && this.#step % 2 === 0) this.#sendRequest(request)
    // A request of long ago, which the network has kept.
    const old = this.#requests.at(-1 - this.#pick(6))
    if (old !== undefined && this.#pick(10) === 0) this.#deliver(async () => void (await this.#to.receiving.take(old)))
    this.#step++
    const arrivals = this.#arrivals[this.#step % this.#arrivals.length]!
    for (const arrive of arrivals.splice(0)) await arrive()
  }

  #sendPacket(sending: SendingKeys): void {
    const sequence = this.#step
    const flag = this.#transmit(sending, sequence, sending.flag)
    if (flag !== this.#sent.at(-1)?.flag) this.renewals++
    this.#sent.push({ sequence, flag })
    sending.count(1)
  }

  #transmit(sending: SendingKeys, sequence: number, firstFlag: 1 | 2): 1 | 2 {
    const { flag, payload } = encrypt(sending, sequence, `packet ${sequence}`, firstFlag)
    this.#deliver(async () => {
      const clear = this.#to.receiving.decrypt(flag, sequence, payload)
      expect(clear?.toString('latin1')).to.equal(`packet ${sequence}`)
    })
    return flag
  }

  #sendRequest(request: Buffer): void {
    if (this.#requests.at(-1)?.equals(request) !== true) this.#requests.push(request)
    this.#requestCount++
    if (this.#requestCount % SURVIVING !== 0 && this.#isLost()) return
    this.#deliver(async () => {
      const answer = await this.#to.receiving.take(request)
      expect(answer?.equals(request)).to.equal(true)
      if (!this.#isLost()) this.#deliver(async () => this.#from.sending.confirm(answer!))
    })
  }

  #deliver(arrive: () => Promise<void>): void {
    const at = this.#step + 1 + this.#pick(MAX_DELAY)
    this.#arrivals[at % this.#arrivals.length]!.push(arrive)
  }

  #isLost(): boolean {
    return this.#pick(100) < this.#lossPercent
  }

  /** Returns a number below another one, by a linear congruence. */
  #pick(below: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#random / 2 ** 32) * below)
  }
}
