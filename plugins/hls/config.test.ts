import { expect } from 'chai'
import { effectiveConfig, type WrittenConfig } from 'sluice/sdk/testing'
import { SegmentRules, HlsConfig } from './config.ts'

function segmentRules(written: WrittenConfig): SegmentRules {
  return new SegmentRules(effectiveConfig({ config: HlsConfig }, written))
}

/** Rules as the host reads them. */
function rules(inputs: Readonly<Record<string, string>>): WrittenConfig {
  return Object.fromEntries(Object.entries(inputs).map(([expression, input]) => [expression, { input }]))
}

describe('how streams are cut', () => {
  it('has its defaults', () => {
    expect(segmentRules({}).of('live/a')).to.eql({ fragmentMs: 2000, partMs: 200, window: 7 })
  })

  it('is what the config says', () => {
    const written = { fragment: '4s', part: '500ms', window: 5 }
    expect(segmentRules(written).of('live/a')).to.eql({ fragmentMs: 4000, partMs: 500, window: 5 })
  })

  it('follows the first rule of onpub.transform that the path matches', () => {
    const transform = rules({ '^tv/': '500ms x 10', '^live/': '5s x 3', '^r/': '1s500ms x 4', '.*': '3 x 4' })
    const cut = segmentRules({ part: '600ms', onpub: { transform } })
    expect(cut.of('live/a')).to.eql({ fragmentMs: 5000, partMs: 600, window: 3 })
    expect(cut.of('tv/b')).to.eql({ fragmentMs: 500, partMs: 500, window: 10 })
    expect(cut.of('r/c')).to.eql({ fragmentMs: 1500, partMs: 600, window: 4 })
    expect(cut.of('radio')).to.eql({ fragmentMs: 3000, partMs: 600, window: 4 })
    expect(segmentRules({ onpub: { transform: rules({ '^x$': '5s x 3' }) } }).of('live/x')).to.include({
      fragmentMs: 2000,
    })
  })

  const refused: readonly [string, WrittenConfig, RegExp][] = [
    ['a rule that is none', { onpub: { transform: rules({ '.*': 'often' }) } }, /"often" is not fragment x window/u],
    ['a rule whose fragment is none', { onpub: { transform: rules({ '.*': '5s3m x 3' }) } }, /"5s3m x 3" is not/u],
    ['a rule with too few segments', { onpub: { transform: rules({ '.*': '5s x 2' }) } }, /"5s x 2" is not/u],
    ['a rule with a fragment of nothing', { onpub: { transform: rules({ '.*': '0s x 3' }) } }, /^fragment: expected/u],
    ['a fragment of nothing', { fragment: '0s' }, /^fragment: expected/u],
    ['a fragment of hours', { fragment: '1h' }, /^fragment: expected/u],
    ['a part of nothing', { part: '0s' }, /^part: expected/u],
    ['a part longer than the fragment', { fragment: '1s', part: '2s' }, /^part: expected/u],
  ]
  for (const [name, written, message] of refused) {
    it(`refuses ${name}`, () => expect(() => segmentRules(written)).to.throw(message))
  }
})
