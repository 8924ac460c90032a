import { expect } from 'chai'
import type { AccessUnit, RecordingBytes } from 'sluice/sdk'
import { AUDIO, makeSegments, VIDEO } from '../pull/fixtures/made-segments.ts'
import { TsRecording } from './ts-recording.ts'

const SECONDS = 12
/** The counter starts again after so many seconds. */
const WRAP_SECONDS = 2 ** 33 / 90_000

function tsFile(fromSeconds: number, count = SECONDS): Buffer {
  return Buffer.concat([
    ...makeSegments('s', { format: 'ts', count, video: VIDEO, audio: AUDIO, fromSeconds }).values(),
  ])
}

function open(bytes: Buffer): Promise<TsRecording> {
  const memory: RecordingBytes = {
    sizeBytes: bytes.length,
    read: async (offset, sizeBytes) => bytes.subarray(Math.max(0, offset), Math.max(0, offset) + sizeBytes),
    close: async () => {},
  }
  return TsRecording.open(memory)
}

async function units(recording: TsRecording, most = Infinity): Promise<AccessUnit[]> {
  const found: AccessUnit[] = []
  while (found.length < most) {
    const unit = await recording.next()
    if (unit === undefined) break
    found.push(unit)
  }
  return found
}

const pictures = (all: readonly AccessUnit[]) => all.filter(({ track }) => track.kind === 'video')
const times = (all: readonly AccessUnit[]) => pictures(all).map(({ dts }) => dts / 90)

describe('TsRecording', () => {
  for (const [what, file] of [
    ['from 0', () => tsFile(0)],
    ['from elsewhere', () => tsFile(7000)],
    ['whose counters start again', () => tsFile(WRAP_SECONDS - 5)],
    ['of two pieces', () => Buffer.concat([tsFile(100, 5), tsFile(20, 7)])],
    ['of two pieces that lie far apart', () => Buffer.concat([tsFile(0, 4), tsFile(50_000, 8)])],
  ] as const) {
    it(`has times go on from 0: a file ${what}`, async () => {
      const recording = await open(file())
      const found = times(await units(recording))
      expect(found).to.have.length(SECONDS * 25)
      for (const [index, ms] of found.entries()) expect(ms, `picture ${index}`).to.be.closeTo(index * 40, 60)
      expect(recording.durationMs).to.be.closeTo(SECONDS * 1000, 120)
    })

    it(`goes to the keyframe at a time or the last one before: a file ${what}`, async () => {
      const recording = await open(file())
      for (const second of [8, 2, 11, 0]) {
        await recording.seek(second * 1000 + 500)
        const found = await units(recording, 30)
        expect(found[0]!.track.kind).to.equal('video')
        expect(found[0]!.keyframe).to.equal(true)
        expect(times(found)[0], `second ${second}`).to.be.closeTo(second * 1000, 120)
      }
    })
  }

  it('ends, or says what is wrong, with files that are damaged anywhere', async () => {
    const whole = tsFile(10, 2)
    let seed = 7
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 150; round++) {
      const bytes = Buffer.from(whole)
      for (let change = random(40); change >= 0; change--) bytes[random(bytes.length)] = random(256)
      try {
        const recording = await open(round % 5 === 0 ? bytes.subarray(random(bytes.length)) : bytes)
        await units(recording, 5000)
        await recording.seek(random(3000))
        await units(recording, 10)
      } catch (error) {
        expect(String(error), `round ${round}`).to.match(/^Error: the file/u)
      }
    }
  })
})
