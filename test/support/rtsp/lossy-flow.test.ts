import { expect } from 'chai'
import { LossyFlow, type FlowCounts, type LossPolicy } from './lossy-flow.ts'

const SSRC = 0xfedc_ba98
const PACKETS = 1000

function rtp(sequenceNumber: number, ssrc = SSRC): Buffer {
  const bytes = Buffer.alloc(13, 0x80)
  bytes.writeUInt16BE(sequenceNumber, 2)
  bytes.writeUInt32BE(ssrc, 8)
  return bytes
}

/** The sequence numbers that come out, flushed ones included, and what was counted. */
function run(policy: LossPolicy, media = 0): { readonly out: number[]; readonly counts: FlowCounts } {
  const counts = new Map<number, FlowCounts>()
  const flow = new LossyFlow(policy, media, counts)
  const out: Buffer[] = []
  for (let number = 0; number < PACKETS; number++) out.push(...flow.pushRtp(rtp(number)))
  return { out: [...out, ...flow.flush()].map((bytes) => bytes.readUInt16BE(2)), counts: counts.get(SSRC)! }
}

describe('lossy flows', () => {
  it('pass on everything by default', () => {
    const { out, counts } = run({})
    expect(out).to.eql(Array.from({ length: PACKETS }, (_, index) => index))
    expect(counts).to.eql({ came: PACKETS, dropped: 0, duplicated: 0, reordered: 0 })
  })

  it('drop, double and reorder the share that they are to, and count it', () => {
    const { out, counts } = run({ seed: 5, dropShare: 0.05, duplicateShare: 0.03, reorderShare: 0.1 })
    expect(counts.dropped)
      .to.equal(PACKETS - new Set(out).size)
      .and.to.be.within(25, 90)
    expect(counts.duplicated)
      .to.equal(out.length - new Set(out).size)
      .and.to.be.within(10, 60)
    const late = new Set(out.filter((number, index) => out.slice(0, index).some((before) => before > number)))
    expect(counts.reordered).to.be.within(60, 150)
    // The last may be held back to the end, and then comes late without having been passed.
    expect(late.size).to.be.within(counts.reordered, counts.reordered + 2)
  })

  it('meet the same packets with the same seed, and others with another or of another media', () => {
    const policy: LossPolicy = { seed: 7, dropShare: 0.1, reorderShare: 0.1 }
    expect(run(policy)).to.eql(run(policy))
    expect(run(policy).out).not.to.eql(run({ ...policy, seed: 8 }).out)
    expect(run(policy).out).not.to.eql(run(policy, 1).out)
  })

  it('meet the same packets of an SSRC, whatever comes between them', () => {
    const flow = new LossyFlow({ seed: 7, dropShare: 0.1 }, 0, new Map())
    const out: number[] = []
    for (let number = 0; number < PACKETS; number++) {
      for (let other = number % 3; other > 0; other--) flow.pushRtp(rtp(number, SSRC + 1))
      if (flow.pushRtp(rtp(number)).length > 0) out.push(number)
    }
    expect(out).to.eql(run({ seed: 7, dropShare: 0.1 }).out)
  })

  it('reorder by as many packets as they are told', () => {
    const counts = new Map<number, FlowCounts>()
    const flow = new LossyFlow({ reorderShare: 1, reorderBy: 1 }, 0, counts)
    expect(flow.pushRtp(rtp(0))).to.eql([])
    expect(flow.flush()).to.eql([rtp(0)])
    const { out } = run({ seed: 3, reorderShare: 0.01, reorderBy: 4 })
    // What is held back at the end comes sooner.
    for (const [index, number] of out.slice(0, -10).entries()) {
      const before = out.slice(0, index).filter((other) => other > number)
      if (before.length > 0) expect(before).to.have.length(4)
    }
  })

  it('drop exactly what they are told, also of RTCP', () => {
    const policy: LossPolicy = {
      isDropped: ({ rtcp, index, sequenceNumber, ssrc }) =>
        rtcp ? index === 1 : ssrc === SSRC && sequenceNumber === 4,
    }
    expect(run(policy).counts.dropped).to.equal(1)
    expect(run(policy).out).not.to.include(4)
    const flow = new LossyFlow(policy, 0, new Map())
    const report = Buffer.from('81c90007000000010000000200000000', 'hex')
    expect([report, report, report].map((datagram) => flow.passesRtcp(datagram))).to.eql([true, false, true])
  })
})
