import { expect } from 'chai'
import { SourceError } from './source-error.ts'
import type { SourceVariant } from '../wire/source-playlist.ts'
import { chooseVariant } from './variant-choice.ts'

function variant(uri: string, bandwidth: number, codecs: readonly string[], more: Partial<SourceVariant> = {}) {
  return { uri, bandwidth, codecs, height: 0, audioGroup: undefined, ...more }
}

function chosen(...variants: readonly SourceVariant[]): string {
  return chooseVariant({ kind: 'variants', variants, audio: [] }).variant.uri
}

describe('chooseVariant', () => {
  it('takes the best that can be carried', () => {
    const low = variant('low', 500, ['avc1.64001f', 'mp4a.40.2'])
    const high = variant('high', 900, ['hvc1.1.6.L93', 'ec-3'])
    expect(chosen(low, high)).to.equal('high')
    expect(chosen(low, variant('vvc', 2000, ['vvc1.1.L93', 'mp4a.40.2']))).to.equal('low')
    expect(chosen(low, variant('silent', 2000, []))).to.equal('silent')
  })

  it('prefers pictures to bandwidth', () => {
    expect(chosen(variant('sound', 900, ['mp4a.40.2']), variant('both', 100, ['avc1.42e01e']))).to.equal('both')
    expect(chosen(variant('a', 1, [], { height: 360 }), variant('b', 1, [], { height: 720 }))).to.equal('b')
  })

  it('takes the default sound of its group, else the first', () => {
    const variants = [variant('v', 1, [], { audioGroup: 'g' })]
    const audio = ['other', 'g', 'g'].map((group, index) => ({ group, isDefault: false, uri: `${index}` }))
    expect(chooseVariant({ kind: 'variants', variants, audio }).audio?.uri).to.equal('1')
    const second = { group: 'g', isDefault: true, uri: 'second' }
    expect(chooseVariant({ kind: 'variants', variants, audio: [...audio, second] }).audio?.uri).to.equal('second')
  })

  it('says what there is when it can carry none', () => {
    expect(() => chosen(variant('a', 1, ['vvc1.1']))).to.throw(SourceError, 'vvc1.1')
    expect(() => chosen()).to.throw(SourceError, 'none')
  })
})
