import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest } from '../errors/stream-errors.ts'
import { MAX_STREAM_PATH_LENGTH, MAX_STREAM_PATH_PARTS, checkStreamPath, parseQuery } from './stream-path.ts'

describe('checkStreamPath', () => {
  const good = [
    { requested: 'live/a', path: 'live/a' },
    { requested: '/live/a/', path: 'live/a' },
    { requested: 'live', path: 'live' },
    { requested: 'live/ü 1...', path: 'live/ü 1...' },
    { requested: 'x'.repeat(MAX_STREAM_PATH_LENGTH), path: 'x'.repeat(MAX_STREAM_PATH_LENGTH) },
    { requested: 'a/'.repeat(MAX_STREAM_PATH_PARTS), path: Array(MAX_STREAM_PATH_PARTS).fill('a').join('/') },
  ]
  for (const { requested, path } of good) {
    it(`takes ${requested.slice(0, 20)}`, () => expect(checkStreamPath(requested)).to.equal(path))
  }

  const bad = ['', '/', 'a//b', '..', 'a/../b', 'a/.', 'a?b', 'a#b', 'a*', 'a\\b', 'a\nb', '\u007f']
  for (const requested of [...bad, 'x'.repeat(513), 'a/'.repeat(17), `a${'/'.repeat(1_000_000)}b`]) {
    it(`refuses ${JSON.stringify(requested.slice(0, 20))}`, () => {
      expect(() => checkStreamPath(requested)).to.throw(InvalidRequest)
    })
  }

  it('gives back what it takes again, and throws nothing but its own error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (requested) => {
        try {
          const path = checkStreamPath(requested)
          expect(checkStreamPath(path)).to.equal(path)
        } catch (error) {
          expect(error).to.be.instanceOf(InvalidRequest)
        }
      }),
    )
  })
})

describe('parseQuery', () => {
  it('decodes names and values, takes the first of a name, and has no other names', () => {
    const params = parseQuery('a=1&b=%20x+y&a=2&c&__proto__=p')
    expect(Object.entries(params)).to.deep.equal([
      ['a', '1'],
      ['b', ' x y'],
      ['c', ''],
      ['__proto__', 'p'],
    ])
    expect(params['toString']).to.equal(undefined)
  })
})
