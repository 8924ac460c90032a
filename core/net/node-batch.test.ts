import { expect } from 'chai'
import { NodeBatch } from './node-batch.ts'
import { BATCH_BYTES, type BatchSocket } from './udp-batch.ts'

/** Keeps the very bytes that it is given, as a socket does whose datagrams wait. */
class WaitingSocket implements BatchSocket {
  readonly fd = -1
  readonly isIpv6 = false
  readonly waiting: Buffer[] = []
  readonly peers: string[] = []

  get queuedBytes(): number {
    return this.waiting.length
  }

  get texts(): string[] {
    return this.waiting.map(String)
  }

  queue(bytes: Buffer, datagramBytes: number, address: string, port: number): void {
    for (let at = 0; at < bytes.length; at += datagramBytes) {
      this.waiting.push(bytes.subarray(at, at + datagramBytes))
      this.peers.push(`${address}:${port}`)
    }
  }

  refuse(): void {}
}

describe('NodeBatch', () => {
  it('leaves at the end of the turn, cut into datagrams, in order', async () => {
    const socket = new WaitingSocket()
    const batch = new NodeBatch()
    const bytes = Buffer.from('aaabbbc')
    expect(batch.add(socket, bytes, 3, '127.0.0.1', 9)).to.equal(true)
    expect(batch.add(socket, Buffer.from('dd'), 2, '127.0.0.2', 9)).to.equal(true)
    bytes.fill('x')
    expect(socket.waiting).to.have.length(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(socket.texts).to.eql(['aaa', 'bbb', 'c', 'dd'])
    expect(socket.peers).to.eql(['127.0.0.1:9', '127.0.0.1:9', '127.0.0.1:9', '127.0.0.2:9'])
  })

  it('does not write over what waits for room', () => {
    const socket = new WaitingSocket()
    const batch = new NodeBatch()
    for (const text of ['first', 'second', 'third']) {
      batch.add(socket, Buffer.from(text), 16, '127.0.0.1', 9)
      batch.flush()
    }
    expect(socket.texts).to.eql(['first', 'second', 'third'])
    // Nor does it keep its bytes for each of those.
    expect(socket.waiting.map(({ buffer }) => buffer.byteLength >= BATCH_BYTES)).to.eql([true, false, false])
  })

  it('sends what it has before more than it holds, and leaves to others what it can not hold', () => {
    const socket = new WaitingSocket()
    const batch = new NodeBatch()
    batch.add(socket, Buffer.alloc(BATCH_BYTES - 1, 'a'), BATCH_BYTES, '127.0.0.1', 9)
    expect(batch.add(socket, Buffer.from('bb'), 2, '127.0.0.1', 9)).to.equal(true)
    expect(socket.waiting.map(({ length }) => length)).to.eql([BATCH_BYTES - 1])
    expect(batch.add(socket, Buffer.alloc(BATCH_BYTES + 1), 1200, '127.0.0.1', 9)).to.equal(false)
    expect(socket.texts.at(-1)).to.equal('bb')
    expect(batch.add(socket, Buffer.alloc(0), 1200, '127.0.0.1', 9)).to.equal(false)
  })

  it('sends what a socket has added before that is closed', () => {
    const [leaving, staying] = [new WaitingSocket(), new WaitingSocket()]
    const batch = new NodeBatch()
    batch.add(staying, Buffer.from('one'), 3, '127.0.0.1', 9)
    batch.release(leaving)
    expect(staying.waiting).to.have.length(0)
    batch.add(leaving, Buffer.from('two'), 3, '127.0.0.1', 9)
    batch.release(leaving)
    expect([staying.texts, leaving.texts]).to.eql([['one'], ['two']])
  })
})
