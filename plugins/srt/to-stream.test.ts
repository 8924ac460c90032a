import { expect } from 'chai'
import pino from 'pino'
import { AccessUnit, type VideoTrack } from 'sluice/sdk'
import { TsMuxer } from 'sluice/sdk/media'
import { createFakeHost, SCRIPTED_VIDEO, sessionInit } from 'sluice/sdk/testing'
import { noteSign, TsIngest } from './to-stream.ts'

const log = pino({ level: 'silent' })
const PAYLOAD_BYTES = 4 * 188
const PICTURE_BYTES = 100_000
const PICTURE_TICKS = 3600

/** Pictures of a stream that are too large to state their size, as payloads of four packets of MPEG-TS. */
function payloads(keyframes: readonly boolean[]): Buffer[] {
  const muxer = new TsMuxer()
  const track = { ...SCRIPTED_VIDEO, id: 0, timescale: 90_000 } as VideoTrack
  const parts = [muxer.start([track])]
  for (const [index, keyframe] of keyframes.entries()) {
    const nalu = Buffer.alloc(PICTURE_BYTES, 0x55)
    nalu[0] = keyframe ? 0x65 : 0x41
    const time = index * PICTURE_TICKS
    parts.push(muxer.mux(AccessUnit.fromNalus(track, time, time, keyframe, [nalu])))
  }
  const bytes = Buffer.concat(parts)
  const count = Math.ceil(bytes.length / PAYLOAD_BYTES)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * PAYLOAD_BYTES, (index + 1) * PAYLOAD_BYTES))
}

describe('a source by SRT that is heard', () => {
  it('is alive, unless it sends what cannot be carried and nothing else', () => {
    const signsOf = (writtenBytes: number, hasUnsupported: boolean) => {
      let signs = 0
      noteSign({ writtenBytes, alive: () => (signs += 1) }, { hasUnsupported })
      return signs
    }
    expect([signsOf(0, false), signsOf(9, true), signsOf(0, true)]).to.eql([1, 1, 0])
  })
})

describe('TsIngest', () => {
  it('drops a picture that sixteen packets are missing from, which no counter shows, and what depends on it', async () => {
    const host = await createFakeHost({ name: 'srt', version: '1.0.0', setup: () => {} })
    const publisher = await host.streams.publish(sessionInit('live/a'))
    const broken = (why: string) => expect.fail(why)
    const ingest = new TsIngest({ sink: publisher, log, broken })
    const all = payloads([true, false, false, true])
    const from = Math.floor(all.length / 3)
    for (const payload of all.toSpliced(from, 4).slice(0, from)) ingest.receive(payload, 0)
    for (const [index, payload] of all.slice(from + 4).entries()) ingest.receive(payload, index === 0 ? 4 : 0)
    ingest.end()
    const { units, lostUnits } = publisher
    expect(units.map(({ dts }) => dts - units[0]!.dts)).to.eql([0, 3 * PICTURE_TICKS])
    for (const { data } of units) expect(data).to.have.length(4 + PICTURE_BYTES)
    expect(lostUnits).to.equal(2)
    expect(ingest.droppedUnits).to.equal(1)
    await host.dispose()
  })
})
