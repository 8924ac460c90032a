import { expect } from 'chai'
import type { CloseReason, Track } from 'sluice/sdk'
import { audioTrack, unitOf, videoTrack } from '../fixtures/media.ts'
import { GENEROUS, turn } from '../fixtures/muxer-rig.ts'
import { MAX_READER_ENTRIES, ReaderQueue } from './reader-queue.ts'
import type { QueueLimits } from './sink-queue.ts'

const VIDEO = videoTrack()
const AUDIO = audioTrack()

/** A queue with a reader that is as slow as the test wants. */
class Rig {
  readonly queue: ReaderQueue
  readonly got: string[] = []
  readonly ends: string[] = []
  tracks: Track[] = [VIDEO, AUDIO]
  timeMs = 0
  #slow = true
  #finish: PromiseWithResolvers<void>[] = []

  constructor(limits: Partial<QueueLimits> = {}) {
    const owner = {
      close: (reason: CloseReason) => this.#end(reason.code),
      fail: (what: string) => this.#end(what),
    }
    const reader = {
      track: (track: Track) => void this.got.push(`T${track.config.record.toString()}`),
      unit: (unit: { readonly data: Buffer }) => {
        this.got.push(unit.data.toString())
        return this.#work()
      },
      trackRemoved: ({ kind }: Track) => void this.got.push(`${kind} removed`),
      sourceEnded: () => void this.got.push('ended'),
    }
    const options = { reader, limits: { ...GENEROUS, ...limits }, owner, tracks: () => this.tracks }
    this.queue = new ReaderQueue(options, 0)
    for (const track of this.tracks) this.queue.track(track)
    this.got.length = 0
  }

  /** Writes units by their labels, 10 ms apart: `K…` a keyframe, `P…` another unit. */
  write(labels: string, kept = false): void {
    for (const label of labels.split(' ')) {
      const start = label.startsWith('K')
      this.timeMs += 10
      this.queue.unit(unitOf(VIDEO, this.timeMs, label, start), this.timeMs, start, kept)
    }
  }

  /** The reader is done with what it is busy with. */
  async finish(): Promise<void> {
    this.#finish.shift()?.resolve()
    await turn()
  }

  async fail(): Promise<void> {
    this.#finish.shift()?.reject(new Error('no'))
    await turn()
  }

  /** It takes no time any more. */
  async catchUp(): Promise<void> {
    this.#slow = false
    await this.finish()
  }

  #work(): Promise<void> | undefined {
    if (!this.#slow) return undefined
    const work = Promise.withResolvers<void>()
    this.#finish.push(work)
    return work.promise
  }

  #end(why: string): void {
    this.ends.push(why)
    this.queue.close()
  }
}

describe('ReaderQueue', () => {
  it('gives a reader that takes time one unit after the other, and the notices in their places', async () => {
    const rig = new Rig()
    rig.write('K1 P2')
    rig.queue.trackRemoved(AUDIO)
    rig.write('P3')
    expect(rig.got).to.eql(['K1'])
    await rig.finish()
    expect(rig.got).to.eql(['K1', 'P2'])
    await rig.finish()
    expect(rig.got).to.eql(['K1', 'P2', 'audio removed', 'P3'])
    expect(rig.queue).to.include({ dropped: 0, skips: 0, queuedBytes: 0, state: 'live' })
  })

  it('keeps no more than its bytes, and goes on at a keyframe when what waited was read', async () => {
    const rig = new Rig({ queueBytes: 4 })
    rig.write('K1 P2 P3 P4 P5 K6')
    expect(rig.queue).to.include({ queuedBytes: 4, dropped: 3, skips: 1, state: 'skipping' })
    await rig.catchUp()
    rig.write('P7')
    rig.write('K8 P9')
    expect(rig.got).to.eql(['K1', 'P2', 'P3', 'K8', 'P9'])
    expect(rig.queue).to.include({ queuedBytes: 0, dropped: 4, skips: 1, state: 'live' })
  })

  it('keeps no more media than its time, but a single unit in any case', async () => {
    const rig = new Rig({ queueMs: 15, queueBytes: 1 })
    rig.write('K1')
    rig.timeMs += 60_000
    rig.write('P2')
    expect(rig.queue.dropped, 'of a single one').to.equal(0)
    const wide = new Rig({ queueMs: 15 })
    wide.write('K1 P2 P3 P4')
    expect(wide.queue).to.include({ dropped: 1, skips: 1 })
    await wide.catchUp()
    expect(wide.got).to.eql(['K1', 'P2', 'P3'])
  })

  it('tells after a gap of the tracks that changed, came and went meanwhile', async () => {
    const rig = new Rig({ queueBytes: 2 })
    rig.write('K1 P2 P3')
    const changed = videoTrack({ record: 'v2' })
    rig.queue.track(changed)
    rig.queue.trackRemoved(AUDIO)
    const late = audioTrack({ id: 2, record: 'a2' })
    rig.queue.track(late)
    rig.tracks = [changed, late]
    await rig.catchUp()
    rig.write('K4')
    expect(rig.got).to.eql(['K1', 'P2', 'audio removed', 'Tv2', 'Ta2', 'K4'])
  })

  it('tells after a gap that the source ended, and of the tracks of the next', async () => {
    const rig = new Rig({ queueBytes: 2 })
    rig.write('K1 P2 P3')
    rig.queue.sourceEnded()
    const next = videoTrack({ record: 'v9' })
    rig.tracks = [next]
    rig.queue.track(next)
    await rig.catchUp()
    rig.write('P4 K5')
    expect(rig.got).to.eql(['K1', 'P2', 'ended', 'Tv9', 'K5'])
  })

  it('tells at once of what happens after it has read all, before the next keyframe', async () => {
    const rig = new Rig({ queueBytes: 2 })
    rig.write('K1 P2 P3')
    await rig.catchUp()
    rig.queue.trackRemoved(AUDIO)
    expect(rig.got).to.eql(['K1', 'P2', 'audio removed'])
  })

  it('keeps no more notices than a number', async () => {
    const rig = new Rig()
    rig.write('K1')
    for (let index = 0; index < MAX_READER_ENTRIES + 10; index++) {
      rig.tracks = [videoTrack({ record: `v${index}` })]
      rig.queue.track(rig.tracks[0]!)
    }
    await rig.catchUp()
    expect(rig.got.length).to.be.at.most(MAX_READER_ENTRIES + 3)
    expect(rig.got.at(-1)).to.equal(`Tv${MAX_READER_ENTRIES + 9}`)
  })

  it('lets what was kept for late joiners pass its bounds', async () => {
    const rig = new Rig({ queueBytes: 2, queueMs: 10 })
    rig.write('K1 P2 P3 P4', true)
    rig.write('P5')
    expect(rig.queue).to.include({ dropped: 0, queuedBytes: 2 })
    rig.write('P6')
    expect(rig.queue.dropped).to.equal(1)
    await rig.catchUp()
    expect(rig.got).to.eql(['K1', 'P2', 'P3', 'P4', 'P5'])
  })

  it('closes a subscriber that must not skip', () => {
    const rig = new Rig({ queueBytes: 2, skips: false })
    rig.write('K1 P2 P3')
    expect(rig.ends).to.eql(['slow'])
  })

  it('closes a subscriber whose reader is at the same unit for the stall time', async () => {
    const rig = new Rig({ stallMs: 1000 })
    rig.queue.checkStall(5000)
    rig.write('K1 P2')
    rig.queue.checkStall(5999)
    await rig.finish()
    rig.queue.checkStall(6500)
    rig.queue.checkStall(7499)
    expect(rig.ends).to.eql([])
    rig.queue.checkStall(7500)
    expect(rig.ends).to.eql(['slow'])
  })

  it('fails a subscriber whose reader rejects, and gives nothing after its end', async () => {
    const rig = new Rig()
    rig.write('K1 P2')
    await rig.fail()
    rig.write('K3')
    expect(rig.ends).to.eql(['a unit reader failed'])
    expect(rig.got).to.eql(['K1'])
  })

  it('gives nothing that waited when it was paused, and goes on at a keyframe', async () => {
    const rig = new Rig()
    rig.write('K1 P2')
    rig.queue.trackRemoved(AUDIO)
    rig.queue.pause()
    rig.write('P3')
    await rig.catchUp()
    rig.queue.resume()
    rig.write('P4 K5')
    expect(rig.got).to.eql(['K1', 'audio removed', 'K5'])
    expect(rig.queue.dropped, 'what waited').to.equal(1)
  })
})
