import { expect } from 'chai'
import fc from 'fast-check'
import { CLIENT_LEFT } from 'sluice/sdk'
import { rounds } from '../../../test/support/soak.ts'
import type { FakeSink } from '../fixtures/fake-format.ts'
import { audioTrack, unitOf, videoTrack } from '../fixtures/media.ts'
import { MuxerRig, turn } from '../fixtures/muxer-rig.ts'
import type { SinkQueue, QueueLimits } from './sink-queue.ts'

type Op =
  | 'key'
  | 'delta'
  | 'audio'
  | 'turn'
  | 'flush'
  | 'join'
  | 'wait'
  | 'leave'
  | 'configure'
  | 'republish'
  | 'stick'
  | 'drain'

type Written = { readonly label: string; readonly key: boolean; readonly source: number }
type Watcher = { readonly sink: FakeSink; readonly queue: SinkQueue; readonly closed: string[] }

/** Plays random operations on a shared muxer. Units are labelled `K7@2`: the seventh, for the second configuration. */
class Play {
  readonly written: Written[] = []
  readonly watchers: Watcher[] = []
  readonly #rig: MuxerRig
  readonly #limits: Partial<QueueLimits>
  #version = 1
  #source = 0
  #needsKey = true

  constructor(windowMs: number, limits: Partial<QueueLimits> = {}) {
    this.#rig = new MuxerRig({ windowMs, tracks: this.#tracks() })
    this.#limits = limits
  }

  async run(op: Op, pick: number): Promise<void> {
    const rig = this.#rig
    if (op === 'key') this.#write('video', true)
    else if (op === 'delta') this.#write('video', this.#needsKey)
    else if (op === 'audio') this.#write('audio', false)
    else if (op === 'turn') await turn()
    else if (op === 'flush') rig.muxer.flush()
    else if (op === 'join') this.watchers.push(rig.join(this.#limits))
    else if (op === 'wait') this.watchers.push(rig.wait(this.#limits))
    else if (op === 'configure') this.#configure()
    else if (op === 'republish') this.#republish()
    else this.#disturb(op, this.watchers[pick % this.watchers.length])
  }

  /** Ends the play: all is sent, and the muxer closed. */
  async end(): Promise<void> {
    for (const { sink } of this.watchers) sink.drain()
    await turn()
    this.#rig.muxer.flush()
    await turn()
    this.#rig.muxer.close()
  }

  get muxed(): readonly string[] {
    return this.#rig.format.muxed
  }

  #tracks() {
    return [videoTrack({ record: `@${this.#version}` }), audioTrack()]
  }

  #write(kind: 'video' | 'audio', key: boolean): void {
    const rig = this.#rig
    const track = rig.tracks.find((other) => other.kind === kind)
    if (track === undefined) return
    if (kind === 'video') this.#needsKey = false
    const label = `${key ? 'K' : kind === 'video' ? 'P' : 'a'}${this.written.length}@${this.#version}`
    rig.timeMs += 10
    this.written.push({ label, key, source: this.#source })
    rig.muxer.write(unitOf(track, rig.timeMs, label, key || kind === 'audio'), rig.timeMs)
  }

  #configure(): void {
    const video = this.#rig.tracks.find((track) => track.kind === 'video')
    if (video === undefined) return
    this.#version++
    this.#needsKey = true
    this.#rig.configure(video, `@${this.#version}`)
  }

  #republish(): void {
    this.#source++
    this.#needsKey = true
    this.#rig.republish(...this.#tracks())
  }

  #disturb(op: Op, watcher: Watcher | undefined): void {
    if (watcher === undefined) return
    const { sink, queue } = watcher
    if (op === 'leave') queue.close(CLIENT_LEFT)
    else if (op === 'stick') sink.stuck = true
    else {
      sink.stuck = false
      sink.drain()
    }
  }
}

/** The indexes of the units a sink got; on the way, whether it could decode each of them. */
function unitsOf(sink: FakeSink, written: readonly Written[]): number[] {
  let config = ''
  return sink.tokens.flatMap((token) => {
    const announced = /^[SC]\((@\d+)/u.exec(token)
    if (announced !== null) config = announced[1] ?? ''
    if (announced !== null || token.startsWith('C(')) return []
    expect(token.slice(token.indexOf('@')), `${sink.text}: ${token} after ${config}`).to.equal(config)
    const index = Number(/\d+/u.exec(token)?.[0])
    expect(written[index]?.label).to.equal(token)
    return [index]
  })
}

function plays(ops: readonly Op[]) {
  const op = fc.oneof({ weight: 6, arbitrary: fc.constantFrom<Op>('delta', 'audio', 'turn') }, fc.constantFrom(...ops))
  return fc.array(fc.tuple(op, fc.nat(20)), { maxLength: 80, size: 'max' })
}

describe('SharedMuxer, whatever happens in whatever order', () => {
  it('gives each sink a run of units from a keyframe on, without gap or repetition', async () => {
    const ops = plays(['key', 'flush', 'join', 'wait', 'leave', 'configure', 'republish'])
    await fc.assert(
      fc.asyncProperty(ops, fc.constantFrom(0, 60_000), async (steps, windowMs) => {
        const play = new Play(windowMs)
        for (const [op, pick] of steps) await play.run(op, pick)
        await play.end()
        for (const { sink, queue, closed } of play.watchers) {
          const got = unitsOf(sink, play.written)
          for (const [position, index] of got.entries()) {
            const before = got[position - 1]
            if (before === index - 1) continue
            expect(play.written[index]?.key, sink.text).to.be.true
            // It may miss what comes between publishers, and only that: the end of one never, the next from its keyframe.
            if (before === undefined) continue
            const between = play.written.slice(before + 1, index)
            expect(between.every(({ source, key }) => source !== play.written[before]?.source && !key)).to.be.true
          }
          const last = got.at(-1)
          if (closed.length === 0 && last !== undefined) {
            const missing = play.written.slice(last + 1)
            expect(missing.every(({ source, key }) => source !== play.written[last]?.source && !key)).to.be.true
          }
          expect([queue.skips, queue.dropped]).to.deep.equal([0, 0])
        }
        expect(play.muxed).to.deep.equal(play.written.map(({ label }) => label))
      }),
      { numRuns: rounds(200) },
    )
  })

  it('keeps the queue of a slow sink in bounds, counts what it misses, and goes on at keyframes', async () => {
    const queueBytes = 60
    const ops = plays(['key', 'wait', 'join', 'configure', 'stick', 'stick', 'drain'])
    await fc.assert(
      fc.asyncProperty(ops, async (steps) => {
        const play = new Play(0, { queueBytes })
        await play.run('key', 0)
        await play.run('turn', 0)
        for (const [op, pick] of steps) await play.run(op, pick)
        await play.end()
        for (const { sink, queue, closed } of play.watchers) {
          const got = unitsOf(sink, play.written)
          const first = got[0]
          if (first === undefined) continue
          const runs = got.filter((index, position) => index !== (got[position - 1] ?? -2) + 1)
          expect(runs.every((index) => play.written[index]?.key)).to.be.true
          expect(queue.dropped, sink.text).to.equal(play.written.length - first - got.length)
          expect(queue.skips).to.be.at.least(runs.length - 1)
          expect(closed).to.be.empty
          const largest = Math.max(...sink.writes.map((bytes) => bytes.length))
          expect(sink.mostQueuedBytes).to.be.at.most(queueBytes + 2 * largest)
        }
      }),
      { numRuns: rounds(200) },
    )
  })
})
