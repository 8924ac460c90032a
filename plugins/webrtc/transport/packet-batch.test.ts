import { expect } from 'chai'
import type { PacketArena } from 'sluice/sdk'
import type { SrtpSender } from '../srtp/srtp-context.ts'
import { PacketBatch, SharedArena } from './packet-batch.ts'

const TAG = Buffer.from('tag!')

/** Marks what it encrypts by four bytes at its end, as late as it may. */
class MarkingSender implements SrtpSender {
  readonly overheadBytes = TAG.length
  #unmarked: Buffer[] = []

  protectRtp({ bytes }: PacketArena, offset: number, _headerSizeBytes: number, sizeBytes: number): number {
    this.#unmarked.push(bytes.subarray(offset + sizeBytes))
    return sizeBytes + TAG.length
  }

  finishRtp(): void {
    for (const bytes of this.#unmarked) TAG.copy(bytes)
    this.#unmarked = []
  }

  protectRtcp(packet: Buffer): Buffer {
    return packet
  }

  close(): void {}
}

describe('PacketBatch', () => {
  let arena: SharedArena
  let runs: string[][]
  let batch: PacketBatch

  function create(name = ''): PacketBatch {
    return new PacketBatch(arena, new MarkingSender(), (bytes, packetBytes) => {
      const packets: string[] = []
      for (let offset = 0; offset < bytes.length; offset += packetBytes) {
        packets.push(name + bytes.subarray(offset, offset + packetBytes).toString())
      }
      runs.push(packets)
    })
  }

  beforeEach(() => {
    arena = new SharedArena()
    runs = []
    batch = create()
  })

  const write = (to: PacketBatch, payload: string) => to.write(Buffer.from('head, unused'), 4, Buffer.from(payload))

  it('sends packets of a size as one run, which a shorter one ends', () => {
    for (const payload of ['one', 'two', 'x', 'four', 'five']) write(batch, payload)
    expect(runs).to.eql([['headonetag!', 'headtwotag!', 'headxtag!']])
    batch.flush()
    expect(runs.slice(1)).to.eql([['headfourtag!', 'headfivetag!']])
    batch.flush()
    expect(runs).to.have.length(2)
  })

  it('begins another run with a longer one', () => {
    for (const payload of ['one', 'longer', 'longer']) write(batch, payload)
    batch.flush()
    expect(runs).to.eql([['headonetag!'], ['headlongertag!', 'headlongertag!']])
  })

  it('sends more than one call may have by several', () => {
    for (let index = 0; index < 100; index += 1) write(batch, String.fromCharCode(97 + (index % 26)).repeat(1200))
    batch.flush()
    expect(runs.length).to.be.above(1)
    expect(runs.flat()).to.have.length(100)
    expect(runs.flat()[99]).to.equal(`head${'v'.repeat(1200)}tag!`)
    expect(batch.sentBytes).to.equal(100 * 1208)
  })

  it('sends what another session has written before it writes, and nothing of one that was closed', () => {
    const other = create('other ')
    write(batch, 'one')
    write(other, 'two')
    expect(runs).to.eql([['headonetag!']])
    other.close()
    write(batch, 'three')
    batch.flush()
    expect(runs.slice(1)).to.eql([['headthreetag!']])
  })
})
