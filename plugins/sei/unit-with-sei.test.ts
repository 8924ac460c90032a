import { expect } from 'chai'
import { AccessUnit, MAX_ACCESS_UNIT_SIZE_BYTES, MAX_NALUS_PER_ACCESS_UNIT, type Track } from 'sluice/sdk/media'
import { canCarrySei, unitWithSei, type SeiTrack } from './unit-with-sei.ts'

const CONFIG = { record: Buffer.alloc(0), width: 0, height: 0, codecString: '' }
const track = (codec: SeiTrack['codec']): SeiTrack => ({ id: 0, kind: 'video', codec, timescale: 1000, config: CONFIG })
const MESSAGES = [
  { type: 5, payload: Buffer.from('aa') },
  { type: 4, payload: Buffer.from('bb') },
]
const H264_SEI = '060502616104026262' + '80'
const H265_SEI = '4e010502616104026262' + '80'

/** NAL units, among which SEI is where the messages go. */
const cases = [
  { codec: 'h264', name: 'a slice alone', nalus: ['SEI', '419a'] },
  {
    codec: 'h264',
    name: 'what an encoder puts before a keyframe',
    nalus: ['09f0', '6764', '68eb', '0601c480', 'SEI', '6588', '6501'],
  },
  { codec: 'h264', name: 'data partitions', nalus: ['SEI', '02aa', '03aa', '04aa'] },
  { codec: 'h264', name: 'slices with prefixes', nalus: ['09f0', 'SEI', '6eaa', '419a'] },
  { codec: 'h265', name: 'a slice alone', nalus: ['SEI', '0201aa'] },
  {
    codec: 'h265',
    name: 'what an encoder puts before a keyframe',
    nalus: ['460150', '4001', '4201', '4401', '4e0101c480', 'SEI', '2601aa', '5001aa'],
  },
] as const

const hexOf = (unit: AccessUnit | undefined) => unit?.nalus.map((nalu) => nalu.toString('hex'))
const buffers = (nalus: readonly string[]) => nalus.map((nalu) => Buffer.from(nalu, 'hex'))

describe('a unit with SEI messages', () => {
  for (const { codec, name, nalus } of cases) {
    it(`has them before the first slice, in ${codec}, of ${name}`, () => {
      const given: readonly Buffer[] = buffers(nalus.filter((nalu) => nalu !== 'SEI'))
      const unit = AccessUnit.fromNalus(track(codec), 40, 80, true, given, 1234)
      const own = { ...track(codec), id: 7 }
      const made = unitWithSei(unit, own, MESSAGES)
      expect(hexOf(made)).to.eql(
        nalus.map((nalu) => (nalu === 'SEI' ? { h264: H264_SEI, h265: H265_SEI }[codec] : nalu)),
      )
      expect(made).to.include({ track: own, dts: 40, pts: 80, keyframe: true, ntpMs: 1234 })
      expect(made?.nalus.filter((nalu) => given.includes(nalu))).to.have.length(given.length)
      expect(unit.nalus).to.have.length(given.length)
    })
  }

  it('has them in the temporal layer of its picture', () => {
    const unit = AccessUnit.fromNalus(track('h265'), 0, 0, false, buffers(['0203aa']))
    expect(hexOf(unitWithSei(unit, track('h265'), MESSAGES))?.[0]).to.match(/^4e03/u)
  })

  it('is none without a picture, without room, or where it is broken', () => {
    const made = (nalus: readonly Buffer[]) =>
      unitWithSei(AccessUnit.fromNalus(track('h264'), 0, 0, true, nalus), track('h264'), MESSAGES)
    expect(made(buffers(['6764', '68eb']))).to.equal(undefined)
    const slices = Array.from({ length: MAX_NALUS_PER_ACCESS_UNIT }, () => Buffer.from('419a', 'hex'))
    expect(made(slices)).to.equal(undefined)
    expect(made(slices.slice(1))?.nalus).to.have.length(MAX_NALUS_PER_ACCESS_UNIT)
    const room = MAX_ACCESS_UNIT_SIZE_BYTES - 4 - 4 - H264_SEI.length / 2
    expect(made([Buffer.alloc(room + 1, 0x41)])).to.equal(undefined)
    expect(made([Buffer.alloc(room, 0x41)])?.data).to.have.length(MAX_ACCESS_UNIT_SIZE_BYTES)
    const broken = AccessUnit.fromData(track('h264'), 0, 0, true, Buffer.from('000000ff41', 'hex'))
    expect(unitWithSei(broken, track('h264'), MESSAGES)).to.equal(undefined)
  })

  it('is of H.264 or H.265', () => {
    const audio = {
      id: 0,
      kind: 'audio',
      codec: 'aac',
      timescale: 1,
      config: { ...CONFIG, sampleRate: 1, channels: 1 },
    } as const
    const tracks: readonly Track[] = [track('h264'), track('h265'), { ...track('h264'), codec: 'av1' }, audio]
    expect(tracks.map(canCarrySei)).to.eql([true, true, false, false])
  })
})
