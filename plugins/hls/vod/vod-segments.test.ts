import { expect } from 'chai'
import fc from 'fast-check'
import { fileSegments, vodSegments } from './vod-segments.ts'

const fileAt = (startMs: number, lengthMs: number, cutsMs: readonly number[] = [], videoCodec = 'h264') => ({
  startMs,
  endMs: startMs + lengthMs,
  clockMs: 7,
  cutsMs,
  videoCodec,
  audioCodec: 'aac',
})
const ALL = { startMs: undefined, endMs: 1_000_000 }
const shown = (segments: ReturnType<typeof vodSegments>) =>
  segments.map(({ startMs, endMs, discontinuity }) => `${discontinuity ? '!' : ''}${startMs}-${endMs}`)

describe('the segments of recordings', () => {
  it('are what lies between the cuts of files', () => {
    const files = [fileAt(1000, 25_000, [10_000, 20_000]), fileAt(26_000, 5000)]
    expect(shown(vodSegments(files, ALL))).to.eql(['1000-11000', '11000-21000', '21000-26000', '26000-31000'])
  })

  it('do not go on where there is a gap, another codec, or the same time in two files', () => {
    const files = [
      fileAt(0, 10_000),
      fileAt(10_100, 10_000),
      fileAt(20_100, 10_000, [], 'h265'),
      fileAt(25_000, 30_000, [10_000, 20_000]),
      fileAt(26_000, 1000),
    ]
    const expected = ['0-10000', '!10100-20100', '!20100-30100', '!35000-45000', '45000-55000']
    expect(shown(vodSegments(files, ALL))).to.eql(expected)
  })

  it('have the times of two files by two clocks from both', () => {
    const files = [fileAt(0, 20_000, [10_000]), { ...fileAt(5000, 20_000, [10_000]), clockMs: 8 }]
    const segments = vodSegments(files, ALL)
    expect(shown(segments)).to.eql(['0-10000', '10000-20000', '!5000-15000', '15000-25000'])
    expect(segments.map(({ clockMs }) => clockMs)).to.eql([7, 7, 8, 8])
  })

  it('are cut off where the time begins and ends, and none is as short as a time is exact', () => {
    const files = [fileAt(0, 30_000, [10_000, 20_000])]
    expect(shown(vodSegments(files, { startMs: 12_000, endMs: 25_000 }))).to.eql(['12000-20000', '20000-25000'])
    expect(shown(vodSegments(files, { startMs: 9999, endMs: 20_001 }))).to.eql(['10000-20000'])
    expect(vodSegments(files, { startMs: 30_000, endMs: 40_000 })).to.eql([])
    expect(vodSegments([fileAt(5, 0)], ALL)).to.eql([])
  })

  it('never have a time twice, in whatever files', () => {
    const time = fc.nat(100_000)
    const file = fc.record({ startMs: time, lengthMs: time, cuts: fc.uniqueArray(time) })
    fc.assert(
      fc.property(fc.array(file), fc.option(time, { nil: undefined }), time, (given, startMs, endMs) => {
        const sorted = given.toSorted((one, other) => one.startMs - other.startMs)
        const files = sorted.map(({ startMs: fileMs, lengthMs, cuts }) =>
          fileAt(
            fileMs,
            lengthMs,
            cuts.toSorted((one, other) => one - other),
          ),
        )
        let doneMs = startMs ?? 0
        for (const segment of vodSegments(files, { startMs, endMs })) {
          expect(segment.startMs).to.be.at.least(doneMs)
          expect(segment.endMs).to.be.within(segment.startMs, endMs)
          doneMs = segment.endMs
        }
      }),
    )
  })

  it('are refused where there are too many', () => {
    const cutsMs = Array.from({ length: 100_001 }, (_, index) => (index + 1) * 10)
    expect(() => vodSegments([fileAt(0, 10_000_000, cutsMs)], { ...ALL, endMs: 1e9 })).to.throw('too long')
  })

  it('are files with their heads where they are MP4 files', () => {
    const whole = { ...fileAt(1000, 5000), id: 7, headBytes: 100, sizeBytes: 1000 }
    const empty = { ...whole, id: 8, sizeBytes: 100 }
    // Times in whole milliseconds may be off by one.
    const next = {
      ...whole,
      id: 9,
      startMs: 5999,
      endMs: 11e3,
    }
    const overlapping = {
      ...whole,
      id: 10,
      startMs: 9e3,
      endMs: 12e3,
    }
    const other = {
      ...overlapping,
      id: 11,
      clockMs: 8,
    }
    const parts = fileSegments([empty, whole, whole, next, overlapping, other], ({ id }) => `x${id}`)
    expect(parts.map(({ uri }) => uri)).to.eql(['x7', 'x9', 'x11'])
    expect(parts.map(({ discontinuity }) => discontinuity)).to.eql([false, true, true])
    expect(parts[0]).to.eql({
      uri: 'x7',
      initUri: 'x7',
      durationSeconds: 5,
      programDateTimeMs: 1e3,
      discontinuity: false,
      initRange: {
        offset: 0,
        sizeBytes: 100,
      },
      range: {
        offset: 100,
        sizeBytes: 900,
      },
    })
  })
})
