import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { cutToWidth, displayWidth } from './display-width.ts'
import { fieldLines, table, type Column } from './table.ts'

type Row = readonly [name: string, count: string]

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', value: ([name]) => name },
  { title: 'COUNT', value: ([, count]) => count, align: 'right' },
]

function lines(rows: readonly Row[], width: number): string[] {
  return table(COLUMNS, rows, width).map(stripVTControlCharacters)
}

describe('the width of a text at a terminal', () => {
  const cases: readonly (readonly [text: string, width: number])[] = [
    ['', 0],
    ['live/a', 6],
    ['é', 1],
    ['e\u0301', 1],
    ['摄像头', 6],
    ['カメラ', 6],
    ['ｶﾒﾗ', 3],
    ['카메라', 6],
    ['ＡＢ', 4],
    ['👩‍🚀', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['\u200d', 0],
  ]
  for (const [text, width] of cases) {
    it(`is ${width} for "${text}"`, () => expect(displayWidth(text)).to.equal(width))
  }

  it('is not passed by what is cut, which ends between characters', () => {
    expect(cutToWidth('live/camera', 11)).to.equal('live/camera')
    expect(cutToWidth('live/camera', 6)).to.equal('live/…')
    expect(cutToWidth('摄像头', 5)).to.equal('摄像…')
    expect(cutToWidth('摄像头', 4)).to.equal('摄…')
    expect(cutToWidth('摄像头', 0)).to.equal('')
  })
})

describe('a table', () => {
  it('has its columns below each other, numbers at the right', () => {
    const rows: readonly Row[] = [
      ['live/摄像头', '5'],
      ['a', '1234567'],
    ]
    expect(lines(rows, 80)).to.eql(['NAME           COUNT', 'live/摄像头        5', 'a            1234567'])
  })

  it('cuts the widest column until it fits, and at last the lines', () => {
    const rows: readonly Row[] = [['a-name-that-is-much-too-long', '12345']]
    expect(lines(rows, 20)).to.eql(['NAME           COUNT', 'a-name-that-…  12345'])
    expect(lines(rows, 8)).to.eql(['NAME   …', 'a-nam… …'])
  })

  it('writes nothing that a terminal obeys, and is never wider than it, whatever is in it', () => {
    const rows = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 5 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 100 }), (rows, width) => {
        for (const line of lines(rows, width)) {
          expect(line).not.to.match(/\p{Cc}/u)
          expect(displayWidth(line)).to.be.at.most(width)
        }
      }),
    )
  })

  it('shows fields below each other, without those that are empty', () => {
    const shown = fieldLines([
      ['Stream', 'live/a'],
      ['Video', ''],
      ['Up', '5\u001b[2Js'],
    ])
    expect(shown.map(stripVTControlCharacters)).to.eql(['Stream  live/a', 'Up      5\\u001b[2Js'])
  })
})
