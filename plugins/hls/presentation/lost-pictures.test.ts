import { expect } from 'chai'
import { FrameWriter, PresentationRig } from './fixtures/presentation-rig.ts'

const SOUND_SECONDS = 1024 / 44_100
const PICTURES = 500

type Source = {
  readonly name: string
  /** How long a picture lasts, in seconds. */
  readonly step: (index: number) => number
  readonly gop: number
  readonly targets: readonly [least: number, most: number]
}

const lost = (index: number, count: number) => 0.04 * (1 + count * Number(index % 61 === 12))

const SOURCES: readonly Source[] = [
  ...[1, 2, 3].map((count): Source => {
    const step = (index: number) => lost(index, count)
    return { name: `25 a second, ${count} of some lost`, step, gop: 8, targets: [0.2, 0.202] }
  }),
  {
    name: '25 a second, a jitter of 40 %',
    step: (i) => 0.04 + 0.016 * Math.sin(i * i),
    gop: 8,
    targets: [0.19, 0.21],
  },
  {
    name: 'a jitter of 40 %, and lost ones',
    step: (i) => lost(i, 1) + 0.016 * Math.sin(i * i),
    gop: 8,
    targets: [0.19, 0.21],
  },
  { name: '10 a second, a jitter of 40 %', step: (i) => 0.1 + 0.04 * Math.sin(i * i), gop: 4, targets: [0.19, 0.22] },
  { name: '29.97 a second', step: () => 1001 / 30_000, gop: 60, targets: [0.201, 0.203] },
  {
    name: '29.97 a second, lost ones',
    step: (i) => (1001 / 30_000) * (i % 50 === 20 ? 2 : 1),
    gop: 8,
    targets: [0.201, 0.203],
  },
  { name: '4 a second', step: () => 0.25, gop: 4, targets: [0.25, 0.25] },
  { name: '1 a second', step: () => 1, gop: 1, targets: [1, 1] },
]

function play({ step, gop }: Source, audio: boolean): PresentationRig {
  const rig = new PresentationRig({ checkEvery: 3 })
  const frames = new FrameWriter(rig, { audio })
  let seconds = 0
  let soundSeconds = audio ? 0 : Infinity
  for (let index = 0; index < PICTURES && seconds < 20; index += 1) {
    for (; soundSeconds < seconds; soundSeconds += SOUND_SECONDS) frames.sound(soundSeconds)
    frames.picture(seconds, index % gop === 0)
    seconds += step(index)
  }
  return rig
}

describe('presentation: pictures that are lost or late', () => {
  for (const source of SOURCES) {
    for (const audio of [false, true]) {
      it(`keeps the rules with a fitting part target: ${source.name}${audio ? ', with sound' : ''}`, () => {
        const rig = play(source, audio)
        expect(rig.playlist().partTargetSeconds).to.be.within(...source.targets)
        expect([...rig.broken]).to.deep.equal([])
      })
    }
  }

  it('makes parts of a segment too that begins after a long pause', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { audio: false })
    for (let index = 0; index < 120; index += 1)
      if (index < 92 || index >= 100) frames.picture(index / 25, index % 25 === 0)
    expect(rig.playlist().open!.parts.length).to.be.greaterThan(1)
    expect([...rig.broken]).to.deep.equal([])
  })
})
