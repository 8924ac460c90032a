import { expect } from 'chai'
import { compareGbVersions, knowsGbFeature, parseGbVersion } from './version.ts'

describe('versions of GB/T 28181', () => {
  for (const [text, version] of [
    ['1.0', '1.0'],
    ['1.1', '1.1'],
    ['2.0', '2.0'],
    ['3.0', '3.0'],
    [' 3 ', '3.0'],
    ['v2.0', '2.0'],
    ['V3.0', '3.0'],
    ['2.1', '2.0'],
    ['4.0', '3.0'],
    ['GB/T 28181-2016', '2.0'],
    ['2022', '3.0'],
    ['0.9', undefined],
    ['', undefined],
    ['none', undefined],
    [undefined, undefined],
  ] as const) {
    it(`are read: ${text ?? 'none'}`, () => {
      expect(parseGbVersion(text)).to.equal(version)
    })
  }

  it('are older or newer', () => {
    expect(compareGbVersions('1.1', '2.0')).to.be.below(0)
    expect(compareGbVersions('3.0', '2.0')).to.be.above(0)
    expect(compareGbVersions('3.0', '3.0')).to.equal(0)
  })

  it('decide what a device is sent', () => {
    const known = (['1.0', '1.1', '2.0', '3.0', undefined] as const).map((version) => [
      knowsGbFeature(version, 'PresetQuery'),
      knowsGbFeature(version, 'SnapShotConfig'),
    ])
    expect(known).to.eql([
      [false, false],
      [false, false],
      [true, false],
      [true, true],
      [true, false],
    ])
  })
})
