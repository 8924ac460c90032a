import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { loadCapture } from '../fixtures/capture.ts'
import {
  CLIENT_KEY,
  findDigest,
  HANDSHAKE_PACKET_SIZE_BYTES,
  isSignedAnswer,
  SERVER_KEY,
  writeDigest,
} from './digest.ts'
import type { DigestScheme } from './digest.ts'
import type { HandshakeStep, RandomSource } from './handshake.ts'
import { ServerHandshake } from './server-handshake.ts'

const C1_END = 1 + HANDSHAKE_PACKET_SIZE_BYTES

/** Random bytes that make a server send the S1 and S2 of a capture again. */
function replay(sent: Buffer): RandomSource {
  const sources = [sent.subarray(9, C1_END), sent.subarray(C1_END)]
  return (bytes) => void sources.shift()!.copy(bytes)
}

function pattern(sizeBytes: number): Buffer {
  return Buffer.from(Array.from({ length: sizeBytes }, (_, i) => (i * 31 + 7) & 0xff))
}

function random(bytes: Buffer): void {
  pattern(bytes.length).copy(bytes)
}

function c0c1(scheme: DigestScheme | null): Buffer {
  const bytes = Buffer.concat([Buffer.from('0300000000', 'hex'), Buffer.from('09007c02', 'hex'), pattern(1528)])
  if (scheme !== null) writeDigest(bytes.subarray(1), scheme, CLIENT_KEY)
  return bytes
}

function pushAll(handshake: ServerHandshake, pieces: readonly Buffer[]): HandshakeStep {
  const replies: Buffer[] = []
  let step: HandshakeStep = { done: false }
  for (const piece of pieces) {
    step = handshake.push(piece)
    if (step.reply) replies.push(step.reply)
  }
  return { ...step, reply: Buffer.concat(replies) }
}

describe('ServerHandshake', () => {
  for (const name of ['ffmpeg-publish', 'gstreamer-publish']) {
    const received = loadCapture(`${name}.received`)
    const sent = loadCapture(`${name}.sent`).handshake
    const all = Buffer.concat([received.handshake, received.chunks])

    it(`answers ${name} as captured, and finds its C2 right`, () => {
      const step = new ServerHandshake({ random: replay(sent), checkC2: true }).push(all)
      expect(step.reply).to.deep.equal(sent)
      expect(step.done).to.equal(true)
      expect(step.rest).to.deep.equal(received.chunks)
    })

    it(`does the same for ${name} whatever the pieces`, () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: received.handshake.length }), { maxLength: 6 }), (cuts) => {
          const ends = [0, ...cuts.toSorted((a, b) => a - b), all.length]
          const pieces = ends.slice(1).map((end, i) => all.subarray(ends[i], end))
          const handshake = new ServerHandshake({ random: replay(sent), checkC2: true })
          const steps: HandshakeStep[] = []
          for (const piece of pieces) if (!steps.at(-1)?.done) steps.push(handshake.push(piece))
          expect(Buffer.concat(steps.map((step) => step.reply ?? Buffer.alloc(0)))).to.deep.equal(sent)
          expect(steps.at(-1)?.done).to.equal(true)
        }),
      )
    })
  }

  for (const scheme of [0, 1] as const) {
    it(`signs S1 and S2 for a digest of scheme ${scheme}, in the same scheme`, () => {
      const { reply } = new ServerHandshake({ random }).push(c0c1(scheme))
      const s1 = reply!.subarray(1, C1_END)
      const c1Digest = findDigest(c0c1(scheme).subarray(1), CLIENT_KEY)!
      expect(findDigest(s1, SERVER_KEY)?.scheme).to.equal(scheme)
      expect(isSignedAnswer(reply!.subarray(C1_END), c1Digest.bytes, SERVER_KEY)).to.equal(true)
    })
  }

  it('echoes C1 when it has no digest', () => {
    const { reply, done } = new ServerHandshake({ random }).push(c0c1(null))
    expect(done).to.equal(false)
    expect(reply!.subarray(0, 9).toString('hex')).to.equal('030000000000000000')
    expect(reply!.subarray(C1_END)).to.deep.equal(c0c1(null).subarray(1))
  })

  it('goes byte by byte', () => {
    const bytes = Buffer.concat([c0c1(1), pattern(HANDSHAKE_PACKET_SIZE_BYTES)])
    const pieces = Array.from(bytes, (byte) => Buffer.of(byte))
    const step = pushAll(new ServerHandshake({ random }), pieces)
    expect(step.done).to.equal(true)
    expect(step.reply).to.have.length(C1_END + HANDSHAKE_PACKET_SIZE_BYTES)
    expect(step).not.to.have.property('rest')
  })

  it('takes any C2 unless it is told to check', () => {
    const badC2 = Buffer.concat([c0c1(null), Buffer.alloc(HANDSHAKE_PACKET_SIZE_BYTES)])
    expect(new ServerHandshake({ random }).push(badC2).done).to.equal(true)
    expect(() => new ServerHandshake({ random, checkC2: true }).push(badC2)).to.throw(MalformedError, 'C2')
  })

  it('takes an echo as C2, whatever its times', () => {
    const c2 = Buffer.concat([Buffer.from('0102030405060708', 'hex'), pattern(1528)])
    const step = new ServerHandshake({ random, checkC2: true }).push(Buffer.concat([c0c1(null), c2]))
    expect(step.done).to.equal(true)
  })

  for (const [name, byte, message] of [
    ['RTMPE', 6, 'RTMPE is not supported'],
    ['HTTP', 0x47, 'HTTP, not RTMP; http:// goes to the port of global.http.listenaddr'],
    ['TLS', 0x16, 'TLS, not RTMP; rtmps:// goes to the port of rtmp.tcp.listenaddrtls'],
    ['anything else', 0x00, 'not RTMP'],
  ] as const) {
    it(`refuses ${name} at the first byte`, () => {
      expect(() => new ServerHandshake({ random }).push(Buffer.of(byte))).to.throw(MalformedError, message)
    })
  }

  it('survives any bytes, and changes none of them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3072, maxLength: 3200 }), (sent) => {
        const bytes = Buffer.concat([Buffer.of(3), sent])
        const before = Buffer.from(bytes)
        const step = new ServerHandshake({ random }).push(bytes)
        expect(step.done).to.equal(true)
        expect(step.rest?.length ?? 0).to.equal(bytes.length - 3073)
        expect(bytes).to.deep.equal(before)
      }),
      { numRuns: rounds(50) },
    )
  })
})
