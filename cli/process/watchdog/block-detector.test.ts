import { expect } from 'chai'
import { BlockDetector } from './block-detector.ts'

const TICK_MS = 250

describe('BlockDetector', () => {
  let nowMs: number
  let beats: number
  let cpuMs: number
  let isStarting: boolean
  let detector: BlockDetector

  beforeEach(() => {
    nowMs = 1000
    beats = 10
    cpuMs = 500
    begin(false)
  })

  const begin = (whileStarting: boolean) => {
    isStarting = whileStarting
    detector = new BlockDetector(TICK_MS, { nowMs, beats, cpuMs, isStarting })
  }
  const tick = (elapsedMs = TICK_MS) => {
    nowMs += elapsedMs
    return detector.tick({ nowMs, beats, cpuMs, isStarting })
  }
  /** A turn that goes on for so long, of which so much is computed; what was found, the same in a row only once. */
  const turn = (turnMs: number, cpuShare: number) => {
    const found: string[] = []
    for (let ms = 0; ms < turnMs; ms += TICK_MS) {
      cpuMs += TICK_MS * cpuShare
      const kind = tick()?.kind
      if (kind !== undefined && kind !== found.at(-1)) found.push(kind)
    }
    return found
  }
  const end = () => {
    beats += 1
    return tick(0)
  }

  it('says nothing while the loop turns', () => {
    for (let count = 0; count < 100; count += 1) {
      expect(tick()).to.equal(undefined)
      expect(end()).to.equal(undefined)
    }
  })

  it('tells once of a long turn when it is over', () => {
    expect(turn(3000, 1)).to.eql(['long'])
    expect(end()).to.eql({ kind: 'over', turnMs: 3000, beat: 10 })
    expect(turn(1000, 1)).to.eql([])
    expect(end()).to.equal(undefined)
  })

  it('tells once of a turn that does not end, and when it does', () => {
    expect(turn(60_000, 1)).to.eql(['long', 'stuck'])
    expect(end()).to.include({ kind: 'over', turnMs: 60_000 })
    expect(turn(60_000, 1)).to.eql(['long', 'stuck'])
  })

  it('takes no turn for blocked that had no CPU time on a busy machine', () => {
    expect(turn(9000, 0.1)).to.eql(['long'])
    expect(end()).to.equal(undefined)
  })

  it('tells of a turn that waits, when that takes very long', () => {
    expect(turn(12_000, 0)).to.eql(['long', 'stuck'])
    expect(end()).to.include({ kind: 'over' })
  })

  it('takes long turns for loading until the server is up, the one included in which it comes up', () => {
    begin(true)
    expect(turn(30_000, 1)).to.eql(['loading'])
    expect(end()).to.equal(undefined)
    expect(turn(4000, 1)).to.eql([])
    isStarting = false
    expect(end()).to.equal(undefined)
    expect(turn(6000, 1)).to.eql(['long', 'stuck'])
  })

  it('tells of a turn that does not end while the server starts', () => {
    begin(true)
    expect(turn(70_000, 1)).to.eql(['loading', 'stuck'])
    expect(end()).to.include({ kind: 'over' })
  })

  it('does not count time in which it was not asked itself', () => {
    cpuMs += 5000
    expect(tick(3_600_000)).to.equal(undefined)
    expect(end()).to.equal(undefined)
  })
})
