import { expect } from 'chai'
import { ChannelTable } from './channel-table.ts'

const NONE = { rtp: () => undefined, rtcp: () => undefined }

describe('ChannelTable', () => {
  it('gives the channel that is asked for, unless it or the next is taken', () => {
    const table = new ChannelTable()
    expect(table.free(6)).to.equal(6)
    table.set({ rtp: 6, rtcp: 7 }, NONE)
    expect([5, 6, 7].map((wanted) => table.free(wanted))).to.eql([0, 0, 0])
    expect([8, 254, 255, undefined].map((wanted) => table.free(wanted))).to.eql([8, 254, 0, 0])
    table.delete({ rtp: 6, rtcp: 7 })
    expect(table.free(6)).to.equal(6)
  })

  it('has room for 128 medias', () => {
    const table = new ChannelTable()
    for (let index = 0; index < 128; index++) {
      const rtp = table.free(undefined)!
      table.set({ rtp, rtcp: rtp + 1 }, NONE)
    }
    expect(table.free(undefined)).to.equal(undefined)
  })

  it('hands frames to who has set their channels up, and others to nobody', () => {
    const table = new ChannelTable()
    const taken: string[] = []
    table.set({ rtp: 2, rtcp: 1 }, { rtp: () => taken.push('rtp'), rtcp: () => taken.push('rtcp') })
    for (const channel of [0, 1, 2, 3, 4, 255]) table.take({ kind: 'interleaved', channel, payload: Buffer.alloc(0) })
    expect(taken).to.eql(['rtcp', 'rtp'])
  })
})
