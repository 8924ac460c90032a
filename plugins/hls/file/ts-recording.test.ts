import { expect } from 'chai'
import { AccessUnit, type RecordingBytes, type Track } from 'sluice/sdk'
import { TsMuxer } from 'sluice/sdk/media'
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

  it('has data where the pictures are, and times of pictures alone', async () => {
    const seconds = 40
    const config = { record: Buffer.alloc(0), codecString: '' }
    const data: Track = { id: 9, kind: 'data', codec: 'klv', timescale: 90_000, config }
    const source = await units(await open(tsFile(0, seconds)))
    const tracks = [...new Set(source.map(({ track }) => track)), data]
    const muxer = new TsMuxer()
    const parts = [muxer.start(tracks)]
    for (const [index, unit] of source.entries()) {
      parts.push(muxer.mux(unit))
      const isDue = unit.track.kind === 'video' && [250, 800].includes(times(source.slice(0, index)).length)
      if (isDue) parts.push(muxer.mux(AccessUnit.fromData(data, unit.dts, unit.dts, true, Buffer.of(1))))
    }
    const recording = await open(Buffer.concat(parts))
    expect(recording.tracks.map(({ kind }) => kind)).to.have.members(['video', 'audio', 'data'])
    expect(recording.durationMs).to.be.closeTo(seconds * 1000, 120)
    const found = await units(recording)
    const at = found.filter(({ track }) => track.kind === 'data').map(({ dts }) => dts / 90)
    expect(at).to.eql([250, 800].map((picture) => times(found)[picture]))
  })

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
