import { expect } from 'chai'
import fc from 'fast-check'
import { nearestKey, normalizeKey } from './key-name.ts'

describe('key names', () => {
  it('compares without case, hyphens and underscores', () => {
    for (const name of ['Enable_Auth', 'enable-auth', 'ENABLEAUTH', '_enable__auth-']) {
      expect(normalizeKey(name), name).to.equal('enableauth')
    }
  })

  const cases: [name: string, candidates: string[], nearest: string | undefined][] = [
    ['chunksiez', ['c2', 'chunksize', 'tcp'], 'chunksize'],
    ['chunk', ['chunksize'], undefined],
    ['kye', ['key', 'url'], 'key'],
    ['tpc', ['tcp', 'udp'], 'tcp'],
    ['max_cuont', ['maxcount', 'maxfps'], 'maxcount'],
    ['timeout-ms', ['timeout_ms'], 'timeout_ms'],
    ['abc', ['xyz'], undefined],
    ['subscribe', [], undefined],
    // The nearer one wins, wherever it stands.
    ['pubvidoe', ['pubaudio', 'pubvideo'], 'pubvideo'],
  ]
  for (const [name, candidates, nearest] of cases) {
    it(`takes ${name} for ${nearest ?? 'nothing'}`, () => {
      expect(nearestKey(name, candidates)).to.equal(nearest)
    })
  }

  it('finds any name of five letters or more with one slip', () => {
    const name = fc.stringMatching(/^[a-z]{5,12}$/)
    fc.assert(
      fc.property(name, fc.nat(), fc.stringMatching(/^[a-z]$/), (name, position, letter) => {
        const at = position % name.length
        for (const slip of [name.slice(0, at) + name.slice(at + 1), name.slice(0, at) + letter + name.slice(at)]) {
          expect(nearestKey(slip, [name])).to.equal(name)
        }
      }),
    )
  })
})
