import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit } from 'sluice/sdk'
import type { Track } from 'sluice/sdk'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { rounds } from '../../../test/support/soak.ts'
import { PresentationRig } from './fixtures/presentation-rig.ts'

/** What may come from a source: mostly the next units, and sometimes anything. */
const STEP = fc.oneof(
  { weight: 40, arbitrary: fc.record({ kind: fc.constant('frames' as const), count: fc.nat(60), gop: fc.nat(80) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('leap' as const), seconds: fc.double({ min: -20, max: 20 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pause' as const), track: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('broken' as const), bytes: fc.uint8Array({ maxLength: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), video: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), track: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const) }) },
)
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never

class RandomSource {
  readonly #rig: PresentationRig
  #tracks: Track[] = []
  #paused: Track | undefined
  #seconds = 1

  constructor(rig: PresentationRig) {
    this.#rig = rig
    this.#begin()
  }

  take(step: Step): void {
    if (step.kind === 'frames')
      for (let frame = 0; frame < step.count; frame += 1) this.#frame(frame % (step.gop + 1) === 0)
    else if (step.kind === 'leap') this.#seconds = Math.max(0, this.#seconds + step.seconds)
    else if (step.kind === 'pause') this.#paused = this.#tracks[step.track]
    else if (step.kind === 'broken') this.#write(this.#tracks[0], Buffer.from(step.bytes), false)
    else if (step.kind === 'add') this.#tracks.push(this.#rig.addTrack(step.video ? SCRIPTED_VIDEO : SCRIPTED_AUDIO))
    else if (step.kind === 'remove')
      for (const track of this.#tracks.splice(step.track, 1)) this.#rig.removeTrack(track)
    else this.#begin()
  }

  #begin(): void {
    this.#rig.endSource()
    this.#tracks = [this.#rig.addTrack(SCRIPTED_VIDEO), this.#rig.addTrack(SCRIPTED_AUDIO)]
  }

  #frame(keyframe: boolean): void {
    this.#seconds += 0.04
    for (const track of this.#tracks) {
      if (track !== this.#paused)
        this.#write(track, Buffer.from([0, 0, 0, 2, 0x65, 0]), keyframe || track.kind === 'audio')
    }
  }

  #write(track: Track | undefined, data: Buffer, keyframe: boolean): void {
    if (!track) return
    const ticks = Math.round(this.#seconds * track.timescale)
    this.#rig.write(AccessUnit.fromData(track, ticks, ticks, keyframe, data))
  }
}

/** What a source may well break: keyframes that don't come, frames that make no whole parts, renditions without media. */
const MAY_BREAK =
  /^(?:independent-segments|part-duration: .* is less|parts: there|parts-sum|hint: missing|report: LAST-PART|map)/u

describe('presentation: whatever a source does', () => {
  for (const format of ['fmp4', 'ts'] as const) {
    it(`goes on, and keeps the rules that do not depend on it: ${format}`, () => {
      fc.assert(
        fc.property(fc.array(STEP, { minLength: 20, maxLength: 60 }), (steps) => {
          const rig = new PresentationRig({ format, window: 3 })
          const source = new RandomSource(rig)
          for (const step of steps) source.take(step)
          rig.presentation.end()
          expect([...rig.broken].filter((rule) => !MAY_BREAK.test(rule)).join('; ')).to.equal('')
          const errors = rig.log.records.filter(({ level }) => level >= 50)
          expect(errors.map((record) => JSON.stringify(record)).join('; ')).to.equal('')
        }),
        { numRuns: rounds(25) },
      )
    })
  }
})
