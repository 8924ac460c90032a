import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest } from 'sluice/sdk'
import { parseReloadQuery } from './reload-query.ts'

describe('the query of a media playlist', () => {
  it('is carried on as it was sent, without the directives', () => {
    const carried: readonly [string, string][] = [
      ['', ''],
      ['secret=a%2Fb&expire=ff', '?secret=a%2Fb&expire=ff'],
      ['a=1&_HLS_msn=5&b=%zz&_HLS_part=2&_HLS_skip=YES', '?a=1&b=%zz'],
      ['_HLS_msn=5&_HLS_push=1', ''],
      ['a&&b=', '?a&&b='],
      ['x_HLS_msn=1', '?x_HLS_msn=1'],
    ]
    for (const [query, expected] of carried) expect(parseReloadQuery(query).carried, query).to.equal(expected)
  })

  it('cannot end an address, its quotes or its line, nor name a variable', () => {
    const text = 'a="b"&c=#d&e=\u00e9&f={$g}&h=\u2028&i={j}'
    expect(parseReloadQuery(text).carried).to.equal('?a=%22b%22&c=%23d&e=%E9&f=%7B$g}&h=%E2%80%A8&i={j}')
  })

  it('asks for a segment, a part and a delta update', () => {
    expect(parseReloadQuery('_HLS_msn=7')).to.eql({ carried: '', msn: 7, skip: false })
    expect(parseReloadQuery('_HLS_msn=7&_HLS_part=0&_HLS_skip=v2')).to.eql({ carried: '', msn: 7, part: 0, skip: true })
    expect(parseReloadQuery('_HLS_skip=YES')).to.eql({ carried: '', skip: true })
  })

  for (const query of [
    '_HLS_msn=',
    '_HLS_msn=-1',
    '_HLS_msn=1.5',
    '_HLS_msn=0x10',
    '_HLS_msn=99999999999999999999',
    '_HLS_part=1',
    '_HLS_msn=1&_HLS_part=x',
    '_HLS_skip=NO',
  ]) {
    it(`is refused: ${query}`, () => expect(() => parseReloadQuery(query)).to.throw(InvalidRequest))
  }

  it('is understood or refused, whatever it is', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('_HLS_msn=', '_HLS_part=', '_HLS_skip=', '&', '%'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        try {
          expect(parseReloadQuery(pieces.join('')).carried).to.match(/^(?:\?[!$-~]+)?$/u)
        } catch (error) {
          if (!(error instanceof InvalidRequest)) throw error
        }
      }),
    )
  })
})
