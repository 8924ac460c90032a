import { expect } from 'chai'
import fc from 'fast-check'
import { ListedSignature } from './listed-signature.ts'

describe('signatures of what playlists list', () => {
  const signature = new ListedSignature(Buffer.from('key'))
  const listed = { askedPath: 'live/a', what: ['ts', 1000, 2000, 'mp4'] }

  it('give the path of the recordings, whichever that is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (streamPath) => {
        const signed = signature.sign(listed, streamPath)
        expect(signed).to.match(/^[\w.-]+$/u)
        expect(signature.verify(signed, listed)).to.equal(streamPath)
      }),
    )
  })

  it('are good for nothing else', () => {
    const signed = signature.sign(listed, 'live/a')
    const others = [
      { ...listed, askedPath: 'live/b' },
      { ...listed, what: ['ts', 1000, 3000, 'mp4'] },
      { ...listed, what: ['ts', 1000, 2000] },
      { ...listed, what: ['ts', 1000, 2000, undefined] },
    ]
    for (const other of others) expect(signature.verify(signed, other)).to.equal(undefined)
    const forged = `${signed}.${Buffer.from('live/b').toString('base64url')}`
    for (const text of ['', '.', 'x', signed.slice(1), forged]) {
      expect(signature.verify(text, listed), text).to.equal(undefined)
    }
    expect(new ListedSignature(Buffer.from('other')).verify(signed, listed)).to.equal(undefined)
  })
})
