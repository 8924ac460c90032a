import { expect } from 'chai'
import { parseOptions } from './options.ts'

describe('options of the benchmark', () => {
  it('have defaults for a whole run', () => {
    const options = parseOptions([])
    expect(options.only).to.include.members(['fanout', 'units'])
    expect(options).to.deep.include({ viewers: [100, 500, 1000], rounds: 5, writeMerges: ['auto', '350ms'] })
  })

  it('choose', () => {
    const options = parseOptions(['--only', 'joins,units', '--peers', 'none', '--viewers', '7', '--formats', 'ws'])
    expect(options).to.deep.include({ only: ['joins', 'units'], peers: [], viewers: [7], formats: ['ws'] })
  })

  for (const args of [
    ['--only', 'fan'],
    ['--viewers', '0'],
    ['--rounds', 'many'],
    ['--colour', 'red'],
  ]) {
    it(`refuse ${args.join(' ')}`, () => {
      expect(() => parseOptions(args)).to.throw()
    })
  }
})
