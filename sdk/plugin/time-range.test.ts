import { expect } from 'chai'
import { parseTimeRange } from './time-range.ts'

const NOW_MS = new Date(2026, 10, 23, 12, 30, 0).getTime()
const at = (hours: number, minutes: number, seconds: number) =>
  new Date(2026, 10, 23, hours, minutes, seconds).getTime()

describe('parseTimeRange', () => {
  for (const [given, startMs, endMs] of [
    [{}, undefined, undefined],
    [{ start: '1700000000' }, 1_700_000_000_000, undefined],
    [{ start: '1700000000123', end: '1700000001' }, 1_700_000_000_123, 1_700_000_001_000],
    [{ end: '2023-11-14T22:13:20Z' }, undefined, 1_700_000_000_000],
    [{ start: '2023-11-14T23:13:20+01:00' }, 1_700_000_000_000, undefined],
    [{ start: '2023-11-14T23:13:20 01:00' }, 1_700_000_000_000, undefined],
    [{ range: '2023-11-14T23:13:20.5 01:00~2023-11-14T22:13:21 00:00' }, 1_700_000_000_500, 1_700_000_001_000],
    [{ start: '2026-11-23T08:00:00' }, at(8, 0, 0), undefined],
    [{ start: '8:15:30', end: '09:00:00' }, at(8, 15, 30), at(9, 0, 0)],
    [{ range: '1700000000-1700000060' }, 1_700_000_000_000, 1_700_000_060_000],
    [{ range: '2023-11-14T22:13:20Z~1700000060000' }, 1_700_000_000_000, 1_700_000_060_000],
    [{ range: '~08:00:00' }, undefined, at(8, 0, 0)],
    [{ range: '08:00:00~', start: '1' }, at(8, 0, 0), undefined],
  ] as const) {
    it(`reads ${JSON.stringify(given)}`, () => {
      expect(parseTimeRange(given, NOW_MS)).to.eql({ startMs, endMs })
    })
  }

  for (const [given, message] of [
    [{ start: 'yesterday' }, /^start must be a time/u],
    [{ end: '24:00:00' }, /^end must be a time/u],
    [{ start: '2023-13-14T22:13:20Z' }, /^start must be a time/u],
    [{ start: '2023-11-14' }, /^start must be a time/u],
    [{ start: '2023-02-30T22:13:20Z' }, /^start must be a time/u],
    [{ start: '2023-11-14T22:13:20 Z' }, /^start must be a time/u],
    [{ start: '2023-11-14T22:13:20  01:00' }, /^start must be a time/u],
    [{ start: '2023-11-14T22:13:20 1:00' }, /^start must be a time/u],
    [{ start: '2023-11-14 22:13:20' }, /^start must be a time/u],
    [{ start: '17000000000' }, /^start must be a time/u],
    [{ range: '1700000000' }, /^range must be start~end/u],
    [{ range: 'a~b' }, /^range must be a time/u],
    [{ range: '1~2~3' }, /^range must be start~end/u],
    [{ start: '1700000001', end: '1700000000' }, /^end is before the start/u],
    [{ start: '4000000000' }, /^end is before the start/u],
  ] as const) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      expect(() => parseTimeRange(given, NOW_MS)).to.throw(message)
    })
  }
})
