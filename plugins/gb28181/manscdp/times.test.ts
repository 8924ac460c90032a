import { expect } from 'chai'
import * as fc from 'fast-check'
import { CHINA_TIME, parseGbTime, SERVER_TIME, serializeGbDate, serializeGbTime, type GbClock } from './times.ts'

/** 2024-01-31T23:59:59 in China. */
const MOMENT = Date.UTC(2024, 0, 31, 15, 59, 59)

/** The clock of Berlin in 2024: an hour more in summer. */
const BERLIN: GbClock = (unixMs) => {
  const isSummer = unixMs >= Date.UTC(2024, 2, 31, 1) && unixMs < Date.UTC(2024, 9, 27, 1)
  return isSummer ? 120 : 60
}

describe('times of devices', () => {
  for (const [name, text, unixMs] of [
    ['as the standard has them', '2024-01-31T23:59:59', MOMENT],
    ['with milliseconds', '2024-01-31T23:59:59.123', MOMENT + 123],
    ['with more digits', '2024-01-31T23:59:59.1239999', MOMENT + 123],
    ['with one digit', '2024-01-31T23:59:59.5', MOMENT + 500],
    ['with a zone', '2024-01-31T23:59:59+08:00', MOMENT],
    ['with another zone', '2024-01-31T15:59:59.5-00:30', MOMENT + 1_800_500],
    ['with a zone without a colon', '2024-01-31T17:59:59+0200', MOMENT],
    ['of UTC', '2024-01-31T15:59:59Z', MOMENT],
    ['of UTC with milliseconds', '2024-01-31T15:59:59.250Z', MOMENT + 250],
    ['with a space', ' 2024-01-31 23:59:59 ', MOMENT],
    ['with slashes', '2024/1/31 23:59:59', MOMENT],
    ['without marks', '20240131T235959', MOMENT],
    ['without marks, of UTC', '20240131T155959Z', MOMENT],
    ['of digits alone', '20240131235959', MOMENT],
    ['in Chinese', '2024年1月31日 23时59分59秒', MOMENT],
    ['with the day first', '31-01-2024 23:59:59', MOMENT],
    ['without seconds', '2024-01-31T23:59', MOMENT - 59_000],
    ['without a time of the day', '2024-02-01', Date.UTC(2024, 0, 31, 16)],
    ['at the end of a day', '2024-01-31T24:00:00', Date.UTC(2024, 0, 31, 16)],
    ['with a day that is none', '2024-02-30T00:00:00', undefined],
    ['with a month that is none', '2024-13-01T00:00:00', undefined],
    ['with an hour that is none', '2024-01-31T25:00:00', undefined],
    ['that are none', 'now', undefined],
    ['that are empty', '', undefined],
  ] as const) {
    it(`are read ${name}`, () => {
      expect(parseGbTime(text, CHINA_TIME)).to.equal(unixMs)
    })
  }

  it('are written in the zone of the device', () => {
    expect(serializeGbTime(MOMENT + 999, CHINA_TIME)).to.equal('2024-01-31T23:59:59')
    expect(serializeGbTime(MOMENT, 0)).to.equal('2024-01-31T15:59:59')
    expect(serializeGbDate(MOMENT + 7, CHINA_TIME)).to.equal('2024-01-31T23:59:59.007')
    expect(serializeGbTime(Date.UTC(2024, 5, 1), BERLIN)).to.equal('2024-06-01T02:00:00')
    const local = new Date(2024, 0, 2, 3, 4, 5)
    expect(serializeGbTime(local.getTime(), SERVER_TIME)).to.equal('2024-01-02T03:04:05')
  })

  it('are read again as they were, in summer and in winter', () => {
    for (const zone of [CHINA_TIME, 0, -210, BERLIN, SERVER_TIME]) {
      for (const unixMs of [MOMENT, Date.UTC(2024, 6, 1), Date.UTC(2024, 2, 31, 0, 59), Date.UTC(2024, 2, 31, 1)]) {
        expect(parseGbTime(serializeGbDate(unixMs, zone), zone)).to.equal(unixMs)
      }
    }
  })

  it('are read or not, whatever the text is', () => {
    const characters = fc.constantFrom(...'0123456789-/:. TZ+年'.split(''))
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 40 }), (text) => {
        expect(parseGbTime(text, CHINA_TIME)).not.to.be.NaN
      }),
      { numRuns: 1000, seed: 28_181 },
    )
  })
})
