import { expect } from 'chai'
import fc from 'fast-check'
import { RtpPacket, SrtcpSession, SrtpSession } from 'werift'
import { createPacketArena } from 'sluice/sdk'
import type { CipherLibrary } from './cipher-library.ts'
import { createSrtpReceiver, createSrtpSender, srtpCipherLibrary } from './create-contexts.ts'
import { cryptoLibrary } from './crypto-library.ts'
import { srtpKeys } from './fixtures/keys.ts'
import { HEADER_BYTES, protect, rtcpPacket, rtpPacket } from './fixtures/packets.ts'
import { loadNativeLibrary } from './native-library.ts'
import { REPLAY_WINDOW_PACKETS } from './packet-index.ts'
import { MAX_RECEIVED_SSRCS, ReceiverContext } from './receiver-context.ts'
import { MAX_SENT_SSRCS, SenderContext } from './sender-context.ts'
import type { SrtpKeys, SrtpProfile, SrtpReceiver, SrtpSender } from './srtp-context.ts'

const NATIVE = loadNativeLibrary()
const LIBRARIES: CipherLibrary[] = NATIVE === undefined ? [cryptoLibrary] : [cryptoLibrary, NATIVE]
/** With their numbers in werift. */
const PROFILES = [
  ['SRTP_AEAD_AES_128_GCM', 7],
  ['SRTP_AES128_CM_HMAC_SHA1_80', 1],
] as const
const SSRC = 0xf0000007
/** 60,000 senders that leak have two contexts of OpenSSL each, of more than half a kilobyte: twice this, at least. */
const LEAK_BYTES = 30_000_000

const open: (SrtpSender | SrtpReceiver)[] = []

function sender(library: CipherLibrary, keys: SrtpKeys): SrtpSender {
  const made = new SenderContext(library, keys)
  open.push(made)
  return made
}

function receiver(library: CipherLibrary, keys: SrtpKeys): SrtpReceiver {
  const made = new ReceiverContext(library, keys)
  open.push(made)
  return made
}

afterEach(() => {
  for (const context of open.splice(0)) context.close()
})

for (const library of LIBRARIES) {
  for (const [profile, weriftProfile] of PROFILES) {
    describe(`${profile} by ${library.name}`, () => {
      contextTests(library, profile)
      weriftTests(library, profile, weriftProfile)
    })
  }
}

function contextTests(library: CipherLibrary, profile: SrtpProfile): void {
  const keys = srtpKeys(profile)

  it('brings RTP through, with its header extension in the clear', () => {
    const extension = { profile: 0xbede, data: Buffer.from('10aabbcc', 'hex') }
    const clear = rtpPacket(1, { extension, text: 'a payload that nobody else reads' })
    const sealed = protect(sender(library, keys), clear, 20)
    expect(sealed.subarray(0, 20).equals(clear.subarray(0, 20))).to.equal(true)
    expect(sealed.includes('nobody')).to.equal(false)
    expect(receiver(library, keys).unprotectRtp(sealed)!.equals(clear)).to.equal(true)
  })

  it('encrypts many packets as it does each alone, while others encrypt and are closed', () => {
    const lengths = [0, 1, 15, 16, 17, 1162, ...Array.from({ length: 40 }, (_, index) => 1100 + index)]
    const packets = lengths.map((length, number) => rtpPacket(number, { text: 'x'.repeat(length) }))
    const arena = createPacketArena(80_000)
    const other = createPacketArena(4096)
    packets[0]!.copy(other.bytes)
    const [one, two, three] = [sender(library, keys), sender(library, keys), sender(library, srtpKeys(profile, 7))]
    const written: { readonly offset: number; readonly end: number }[] = []
    let offset = 0
    for (const [number, packet] of packets.entries()) {
      packet.copy(arena.bytes, offset)
      const end = offset + one.protectRtp(arena, offset, HEADER_BYTES, packet.length)
      written.push({ offset, end })
      offset = end
      if (number % 20 !== 7) continue
      expect(one.protectRtcp(rtcpPacket(SSRC, 5))).not.to.equal(undefined)
      three.protectRtp(other, 0, HEADER_BYTES, 100)
      if (number < 20) continue
      // Its packet is where the next one is written.
      three.protectRtp(arena, offset, HEADER_BYTES, 100)
      three.close()
    }
    one.finishRtp()
    three.finishRtp()
    const alone = packets.map((packet) => protect(two, packet).toString('hex'))
    expect(written.map((place) => arena.bytes.toString('hex', place.offset, place.end))).to.eql(alone)
  })

  it('brings packets without payload, and RTCP of all sizes through', () => {
    const to = receiver(library, keys)
    const from = sender(library, keys)
    const empty = rtpPacket(1, { text: '' })
    expect(to.unprotectRtp(protect(from, empty))!.equals(empty)).to.equal(true)
    for (const words of [0, 1, 2, 100]) {
      const clear = rtcpPacket(SSRC, words)
      expect(to.unprotectRtcp(from.protectRtcp(clear)!)!.equals(clear)).to.equal(true)
    }
    expect(to.rejectedPackets).to.equal(0)
  })

  it('goes on through many wraps of sequence numbers, with packets lost, late and swapped at each', () => {
    const from = sender(library, keys)
    const to = receiver(library, keys)
    for (let index = 0; index < 10 * 65_536; index += 9999) {
      const packets = [index + 1, index].map((next) => rtpPacket(next % 65_536, { text: `packet ${next}` }))
      const sealed = packets.toReversed().map((packet) => protect(from, packet))
      const received = sealed.toReversed().map((packet) => to.unprotectRtp(packet)?.toString('latin1', HEADER_BYTES))
      expect(received).to.deep.equal([`packet ${index + 1}`, `packet ${index}`])
    }
  })

  it('lets each packet through once, and late ones as long as it knows', () => {
    const from = sender(library, keys)
    const to = receiver(library, keys)
    const sealed = Array.from({ length: REPLAY_WINDOW_PACKETS + 1 }, (_, index) => protect(from, rtpPacket(index)))
    const copies = sealed.map((packet) => Buffer.from(packet))
    expect(to.unprotectRtp(sealed.at(-1)!)).to.not.equal(undefined)
    expect(to.unprotectRtp(sealed[0]!), 'too old').to.equal(undefined)
    expect(to.unprotectRtp(sealed[1]!), 'the oldest').to.not.equal(undefined)
    expect(to.unprotectRtp(copies[1]!), 'once more').to.equal(undefined)
    expect(to.unprotectRtp(copies.at(-1)!), 'once more').to.equal(undefined)
    expect(to.rejectedPackets).to.equal(3)

    const report = from.protectRtcp(rtcpPacket(SSRC))!
    const copy = Buffer.from(report)
    expect(to.unprotectRtcp(report)).to.not.equal(undefined)
    expect(to.unprotectRtcp(copy), 'RTCP once more').to.equal(undefined)
  })

  it('is not moved by forged packets: neither in its count of wraps, nor in what it has seen', () => {
    const from = sender(library, keys)
    const to = receiver(library, keys)
    expect(to.unprotectRtp(protect(from, rtpPacket(100)))).to.not.equal(undefined)
    const stranger = sender(library, srtpKeys(profile, 2))
    for (const sequenceNumber of [101, 30_000, 33_000, 60_000, 65_535, 3]) {
      expect(to.unprotectRtp(protect(stranger, rtpPacket(sequenceNumber)))).to.equal(undefined)
      expect(to.unprotectRtcp(stranger.protectRtcp(rtcpPacket(SSRC))!)).to.equal(undefined)
    }
    for (let ssrc = 0; ssrc < 2 * MAX_RECEIVED_SSRCS; ssrc++) {
      to.unprotectRtp(protect(stranger, rtpPacket(0, { ssrc })))
    }
    expect(to.unprotectRtp(protect(from, rtpPacket(101)))).to.not.equal(undefined)
    expect(to.unprotectRtp(protect(from, rtpPacket(3, { ssrc: 9 })))).to.not.equal(undefined)
    expect(to.unprotectRtcp(from.protectRtcp(rtcpPacket(SSRC))!)).to.not.equal(undefined)
  })

  it('rejects a packet with any bit changed, and leaves its bytes as they are', () => {
    const from = sender(library, keys)
    const to = receiver(library, keys)
    const rtp = protect(from, rtpPacket(5))
    const rtcp = from.protectRtcp(rtcpPacket(SSRC, 2))!
    for (const [sealed, unprotect] of [
      [rtp, (packet: Buffer) => to.unprotectRtp(packet)],
      [rtcp, (packet: Buffer) => to.unprotectRtcp(packet)],
    ] as const) {
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const broken = Buffer.from(sealed)
        broken[bit >> 3]! ^= 1 << (bit & 7)
        const before = Buffer.from(broken)
        expect(unprotect(broken), `bit ${bit}`).to.equal(undefined)
        expect(broken.equals(before), `bit ${bit}`).to.equal(true)
      }
      for (let sizeBytes = 0; sizeBytes < sealed.length; sizeBytes++) {
        expect(unprotect(Buffer.from(sealed.subarray(0, sizeBytes))), `${sizeBytes} bytes`).to.equal(undefined)
      }
      expect(unprotect(sealed)).to.not.equal(undefined)
    }
  })

  it('rejects whatever is no packet', () => {
    const to = receiver(library, keys)
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ minLength: 60_000, maxLength: 70_000 }))
    fc.assert(
      fc.property(bytes, fc.constantFrom(0x80, 0x90, 0x9f, 0x00), (random, first) => {
        if (random.length > 0) random[0] = first
        expect(to.unprotectRtp(Buffer.from(random))).to.equal(undefined)
        expect(to.unprotectRtcp(Buffer.from(random))).to.equal(undefined)
      }),
    )
  })

  it('bounds how many SSRCs there are', () => {
    const to = receiver(library, keys)
    const froms = Array.from({ length: 3 }, () => sender(library, keys))
    const ssrcs = Array.from({ length: MAX_RECEIVED_SSRCS + 1 }, (_, index) => index + 1)
    const sealed = ssrcs.map((ssrc) => protect(froms[ssrc % 3]!, rtpPacket(1, { ssrc })))
    expect(sealed.filter((packet) => to.unprotectRtp(packet) !== undefined)).to.have.length(MAX_RECEIVED_SSRCS)
    const reports = ssrcs.map((ssrc) => froms[0]!.protectRtcp(rtcpPacket(ssrc))!)
    expect(reports.filter((packet) => to.unprotectRtcp(packet) !== undefined)).to.have.length(MAX_RECEIVED_SSRCS)

    const from = sender(library, keys)
    const sent = ssrcs.filter((ssrc) => protect(from, rtpPacket(1, { ssrc })).length > 0)
    expect(sent).to.have.length(MAX_SENT_SSRCS)
  })

  it('encrypts a sequence number twice only where that gives nothing away', () => {
    const from = sender(library, keys)
    const first = protect(from, rtpPacket(7))
    const again = protect(from, rtpPacket(7))
    if (profile === 'SRTP_AEAD_AES_128_GCM') expect(again).to.have.length(0)
    else expect(again.equals(first)).to.equal(true)
  })

  it('writes nothing beyond the arena', () => {
    const from = sender(library, keys)
    const arena = createPacketArena(100)
    expect(() => from.protectRtp(arena, 0, 12, 100 - from.overheadBytes + 1)).to.throw(RangeError)
    expect(() => from.protectRtp(arena, -1, 12, 40)).to.throw(RangeError)
    expect(() => from.protectRtp(arena, 0, 12, 11)).to.throw(RangeError)
    expect(() => from.protectRtcp(Buffer.alloc(7))).to.throw(RangeError)
    expect(() => from.protectRtcp(Buffer.alloc(65_535))).to.throw(RangeError)
    expect(from.protectRtp(arena, 0, 12, 100 - from.overheadBytes)).to.equal(100)
  })

  it('does nothing once it is closed, however often', () => {
    const from = sender(library, keys)
    const to = receiver(library, keys)
    const sealed = protect(from, rtpPacket(1))
    const report = from.protectRtcp(rtcpPacket(SSRC))!
    for (let count = 0; count < 2; count++) {
      from.close()
      to.close()
    }
    expect(protect(from, rtpPacket(2))).to.have.length(0)
    expect(from.protectRtcp(rtcpPacket(SSRC))).to.equal(undefined)
    expect(to.unprotectRtp(sealed)).to.equal(undefined)
    expect(to.unprotectRtcp(report)).to.equal(undefined)
  })
}

function weriftTests(library: CipherLibrary, profile: SrtpProfile, weriftProfile: 1 | 7): void {
  const keys = srtpKeys(profile)
  const config = {
    profile: weriftProfile,
    keys: {
      localMasterKey: keys.masterKey,
      localMasterSalt: keys.masterSalt,
      remoteMasterKey: keys.masterKey,
      remoteMasterSalt: keys.masterSalt,
    },
  }

  it('is understood by werift, also after a wrap', () => {
    const from = sender(library, keys)
    const srtp = new SrtpSession(config)
    for (const sequenceNumber of [0x7ff0, 0xfff0, 0xffff, 0, 1, 2]) {
      const clear = rtpPacket(sequenceNumber, { text: `packet ${sequenceNumber}` })
      expect(srtp.decrypt(protect(from, clear)).equals(clear), `${sequenceNumber}`).to.equal(true)
    }
    const srtcp = new SrtcpSession(config)
    for (const words of [3, 8]) {
      const clear = rtcpPacket(SSRC, words)
      expect(srtcp.decrypt(from.protectRtcp(clear)!).equals(clear)).to.equal(true)
    }
  })

  it('understands werift, also after a wrap', () => {
    const to = receiver(library, keys)
    const srtp = new SrtpSession(config)
    for (const sequenceNumber of [0x7ff0, 0xfff0, 0xffff, 0, 1, 2]) {
      const clear = rtpPacket(sequenceNumber, { text: `packet ${sequenceNumber}` })
      const { header, payload } = RtpPacket.deSerialize(clear)
      const opened = to.unprotectRtp(srtp.encrypt(payload, header))
      expect(opened?.toString('hex'), `${sequenceNumber}`).to.equal(clear.toString('hex'))
    }
    const srtcp = new SrtcpSession(config)
    for (const words of [3, 8]) {
      const clear = rtcpPacket(SSRC, words)
      expect(to.unprotectRtcp(srtcp.encrypt(clear))!.equals(clear)).to.equal(true)
    }
  })
}

describe('SRTP by both libraries', () => {
  before(function () {
    if (NATIVE === undefined) this.skip()
  })

  for (const [profile] of PROFILES) {
    it(`is the same byte for byte: ${profile}`, () => {
      const keys = srtpKeys(profile, 3)
      const senders = LIBRARIES.map((library) => sender(library, keys))
      const receivers = LIBRARIES.map((library) => receiver(library, keys))
      let sequenceNumber = 0
      fc.assert(
        fc.property(fc.string({ maxLength: 1500 }), fc.nat(2), (text, skipped) => {
          sequenceNumber = (sequenceNumber + 1 + skipped * 15_000) % 65_536
          const clear = rtpPacket(sequenceNumber, { text })
          const [one, other] = senders.map((from) => protect(from, clear))
          expect(one!.equals(other!)).to.equal(true)
          for (const to of receivers) expect(to.unprotectRtp(Buffer.from(one!))!.equals(clear)).to.equal(true)

          const [report, otherReport] = senders.map((from) => from.protectRtcp(rtcpPacket(SSRC, text.length % 50))!)
          expect(report!.equals(otherReport!)).to.equal(true)
        }),
      )
    })
  }

  for (const [profile] of PROFILES) {
    it(`holds no memory of contexts that were closed: ${profile}`, () => {
      makeAndClose(profile, 20_000)
      const before = process.memoryUsage().rss
      makeAndClose(profile, 60_000)
      expect(process.memoryUsage().rss - before).to.be.below(LEAK_BYTES)
    })
  }

  it('is by node:ffi where that is there', () => {
    expect(srtpCipherLibrary().name).to.equal('node:ffi')
    const keys = srtpKeys('SRTP_AEAD_AES_128_GCM')
    const from = createSrtpSender(keys)
    const to = createSrtpReceiver(keys)
    expect(to.unprotectRtp(protect(from, rtpPacket(1)))!.equals(rtpPacket(1))).to.equal(true)
    from.close()
    to.close()
  })
})

function makeAndClose(profile: SrtpProfile, count: number): void {
  const keys = srtpKeys(profile)
  for (let made = 0; made < count; made++) {
    const from = new SenderContext(NATIVE!, keys)
    protect(from, rtpPacket(1))
    from.close()
  }
}
