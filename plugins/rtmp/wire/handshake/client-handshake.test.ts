import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { loadCapture } from '../fixtures/capture.ts'
import { ClientHandshake } from './client-handshake.ts'
import { HANDSHAKE_PACKET_SIZE_BYTES } from './digest.ts'
import { ServerHandshake } from './server-handshake.ts'

const C1_END = 1 + HANDSHAKE_PACKET_SIZE_BYTES

function pattern(sizeBytes: number): Buffer {
  return Buffer.from(Array.from({ length: sizeBytes }, (_, i) => (i * 17 + 3) & 0xff))
}

function random(bytes: Buffer): void {
  pattern(bytes.length).copy(bytes)
}

describe('ClientHandshake', () => {
  it('does with nginx-rtmp what was captured', () => {
    const sent = loadCapture('nginx-play.sent').handshake
    const received = loadCapture('nginx-play.received')
    const sources = [sent.subarray(9, C1_END), sent.subarray(C1_END)]
    const handshake = new ClientHandshake({ random: (bytes) => void sources.shift()!.copy(bytes) })
    expect(handshake.start()).to.deep.equal(sent.subarray(0, C1_END))
    const step = handshake.push(Buffer.concat([received.handshake, received.chunks]))
    expect(step.reply).to.deep.equal(sent.subarray(C1_END))
    expect(step.done).to.equal(true)
    expect(step.rest).to.deep.equal(received.chunks)
  })

  it('satisfies a server that checks C2', () => {
    const client = new ClientHandshake({ random })
    const server = new ServerHandshake({ random, checkC2: true })
    const answer = server.push(client.start()).reply!
    const { reply, done } = client.push(answer)
    expect(done).to.equal(true)
    expect(server.push(reply!)).to.deep.equal({ done: true })
  })

  it('echoes S1 to a server that knows no digests, before S2 is there', () => {
    const client = new ClientHandshake({ random })
    client.start()
    const s0s1 = Buffer.concat([Buffer.of(3), Buffer.alloc(8), pattern(1528)])
    expect(client.push(s0s1)).to.deep.equal({ reply: s0s1.subarray(1), done: false })
    expect(client.push(Buffer.alloc(HANDSHAKE_PACKET_SIZE_BYTES))).to.deep.equal({ done: true })
  })

  it('refuses a server of another version', () => {
    expect(() => new ClientHandshake({ random }).push(Buffer.of(0x48))).to.throw(MalformedError, 'not RTMP')
  })
})
