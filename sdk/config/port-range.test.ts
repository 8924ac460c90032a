import { expect } from 'chai'
import { parsePortRange } from './port-range.ts'

describe('a range of ports', () => {
  const cases = [
    { text: '20001-30000', range: { first: 20_001, last: 30_000 } },
    { text: '9000-9000', range: { first: 9000, last: 9000 } },
    { text: '9000', range: { first: 9000, last: 9000 } },
    { text: '1-65535', range: { first: 1, last: 65_535 } },
    ...['', '-', '0-9', '9-8', '1-65536', '1-', '-9', '1-2-3', 'a-b', ' 1-2', '1e3-2e3', '100000'].map((text) => ({
      text,
      range: undefined,
    })),
  ]
  for (const { text, range } of cases) {
    it(`'${text}' is ${range === undefined ? 'none' : `${range.first} to ${range.last}`}`, () => {
      expect(parsePortRange(text)).to.eql(range)
    })
  }
})
