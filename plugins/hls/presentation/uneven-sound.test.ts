import { expect } from 'chai'
import { spansOf } from '../../../test/support/fragment-spans.ts'
import { FrameWriter, PresentationRig } from './fixtures/presentation-rig.ts'

const SOUND_SECONDS = 1024 / 44_100
const SOUND_TRACK = 2
const SECONDS = 16

/** When frames of sound come that are due at some time; those that are lost don't. */
const SOURCES: readonly (readonly [name: string, time: (seconds: number) => number | undefined])[] = [
  ['jitters', (seconds) => seconds + 0.03 + 0.03 * Math.sin(seconds ** 2 * 1000)],
  ['comes in bursts', (seconds) => Math.ceil(seconds / 0.09) * 0.09],
  ['has gaps', (seconds) => (seconds % 1.31 < 0.12 ? undefined : seconds)],
  ['pauses', (seconds) => (seconds % 6 > 3.9 ? undefined : seconds)],
]

function soundTimes(time: (seconds: number) => number | undefined): number[] {
  const times = Array.from({ length: SECONDS / SOUND_SECONDS }, (_, index) => time(index * SOUND_SECONDS))
  return times.filter((seconds) => seconds !== undefined)
}

function play(times: readonly number[], lowLatency: boolean): PresentationRig {
  const rig = new PresentationRig({ format: 'fmp4', lowLatency, window: 1000 })
  const frames = new FrameWriter(rig)
  const left = [...times]
  for (let index = 0; index < SECONDS * 25; index += 1) {
    while (left.length > 0 && left[0]! < index / 25) frames.sound(left.shift()!)
    frames.picture(index / 25, index % 25 === 0)
  }
  for (const seconds of left) frames.sound(seconds)
  rig.presentation.end()
  return rig
}

describe('presentation: sound at uneven times', () => {
  for (const lowLatency of [false, true]) {
    for (const [name, time] of SOURCES) {
      it(`that ${name} has no break between ${lowLatency ? 'parts' : 'segments'}, and loses nothing`, () => {
        const times = soundTimes(time)
        const rig = play(times, lowLatency)
        const segments = rig.playlist().segments.map(({ uri }) => rig.bytes(uri!)!)
        const spans = spansOf(Buffer.concat(segments), SOUND_TRACK)
        expect(spans.reduce((sum, { samples }) => sum + samples, 0)).to.equal(times.length)
        for (const [index, { startDts }] of spans.entries()) {
          if (index > 0) expect(startDts).to.equal(spans[index - 1]!.endDts)
        }
        expect([...rig.broken]).to.deep.equal([])
      })
    }
  }
})
