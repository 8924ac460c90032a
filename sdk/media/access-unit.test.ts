import { expect } from 'chai'
import { AccessUnit } from './access-unit.ts'
import { joinAnnexB, joinLengthPrefixed } from './codec/nalu.ts'
import type { Track } from './track.ts'

const TRACK: Track = {
  id: 0,
  kind: 'video',
  codec: 'h264',
  timescale: 9e4,
  config: {
    record: Buffer.alloc(0),
    width: 320,
    height: 240,
    codecString: 'avc1.64000d',
  },
}
const OTHER: Track = { ...TRACK, id: 3 }
const NALUS = [Buffer.from([0x65, 1, 2]), Buffer.from([0x65, 3])]

const FORMS = {
  data: (ntpMs?: number) => AccessUnit.fromData(TRACK, 10, 20, true, joinLengthPrefixed(NALUS), ntpMs),
  nalus: (ntpMs?: number) => AccessUnit.fromNalus(TRACK, 10, 20, true, NALUS, ntpMs),
  annexB: (ntpMs?: number) => AccessUnit.fromAnnexB(TRACK, 10, 20, true, joinAnnexB(NALUS), ntpMs),
}

describe('AccessUnit', () => {
  for (const [form, unitOf] of Object.entries(FORMS)) {
    it(`stands at other times in another track with the same bytes, ${form}`, () => {
      const unit = unitOf(1_700_000_000_123.5)
      const moved = unit.at(OTHER, 1000, 1010)
      expect(moved).to.include({ track: OTHER, dts: 1000, pts: 1010, keyframe: true, ntpMs: 1_700_000_000_123.5 })
      expect(unit).to.include({ track: TRACK, dts: 10, pts: 20 })
      expect(moved.sizeBytes).to.equal(unit.sizeBytes)
      expect(moved.nalus).to.eql(NALUS)
    })
  }

  it('shares what either has made, also over several moves', () => {
    for (const unitOf of Object.values(FORMS)) {
      const unit = unitOf()
      const moved = unit.at(OTHER, 1, 1).at(TRACK, 2, 2)
      const { annexB } = moved
      expect(unit.annexB).to.equal(annexB)
      expect(moved.data).to.equal(unit.data)
      expect(moved.nalus).to.equal(unit.nalus)
    }
  })

  it('has a time in milliseconds, exactly where it is a whole one', () => {
    const track = { ...TRACK, timescale: 1000 }
    for (let dts = 0; dts < 5000; dts++) expect(FORMS.data().at(track, dts, dts).dtsMs).to.equal(dts)
    expect(FORMS.data().at(TRACK, 45, 45).dtsMs).to.equal(0.5)
  })

  it('has a time of capture where it is told one', () => {
    expect(FORMS.nalus().ntpMs).to.equal(undefined)
    expect(FORMS.nalus(0).ntpMs).to.equal(0)
  })
})
