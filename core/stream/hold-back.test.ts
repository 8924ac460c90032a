import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { AccessUnit, type Track } from 'sluice/sdk/media'
import { SCRIPTED_AUDIO } from 'sluice/sdk/testing'
import { MAX_CACHE_ENTRIES } from './gop-cache.ts'
import { HoldBack } from './hold-back.ts'

const TRACK: Track = { ...SCRIPTED_AUDIO, id: 0 }

describe('HoldBack', () => {
  let dispatched: number[]
  let holdBack: HoldBack
  let isOpen: boolean
  beforeEach(() => {
    dispatched = []
    isOpen = false
    holdBack = new HoldBack({ dispatch: ({ dts }) => dispatched.push(dts), isOpen: () => isOpen })
  })

  function holds(dts: number): boolean {
    return holdBack.holds(AccessUnit.fromData(TRACK, dts, dts, true, Buffer.of(1)))
  }

  it('holds nothing when nobody is on the way', () => {
    expect(holds(0)).to.equal(false)
    holdBack.end()
    expect(dispatched).to.eql([])
  })

  it('hands on what it held, in order, when those who attach at once have been taken in', async () => {
    holdBack.begin()
    expect([holds(0), holds(1)]).to.eql([true, true])
    const takenIn = Promise.resolve().then(() => turn())
    await takenIn
    expect(dispatched).to.eql([])
    holdBack.begin()
    expect(holds(2)).to.equal(true)
    await turn()
    expect(dispatched).to.eql([0, 1, 2])
    expect(holds(3)).to.equal(false)
  })

  it('holds units until it is known which tracks there are', async () => {
    isOpen = true
    holdBack.begin()
    holds(0)
    for (let turns = 0; turns < 3; turns++) await turn()
    expect(dispatched).to.eql([])
    holdBack.flush()
    expect(dispatched, 'what came before a change of the tracks').to.eql([0])
    expect(holds(1)).to.equal(true)
    isOpen = false
    holdBack.settle()
    expect(dispatched).to.eql([0, 1])
    expect(holds(2)).to.equal(false)
  })

  it('holds no more than a stream keeps for late joiners', () => {
    isOpen = true
    holdBack.begin()
    for (let dts = 0; dts < MAX_CACHE_ENTRIES; dts++) holds(dts)
    expect(dispatched).to.eql([])
    expect(holds(-1)).to.equal(false)
    expect(dispatched).to.have.length(MAX_CACHE_ENTRIES)
  })

  it('hands on at once when it has to', async () => {
    holdBack.begin()
    holds(0)
    holdBack.end()
    expect(dispatched).to.eql([0])
    await turn()
    await turn()
    expect(dispatched).to.eql([0])
  })
})
