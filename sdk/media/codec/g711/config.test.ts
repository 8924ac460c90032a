import { expect } from 'chai'
import { g711Config } from './config.ts'

describe('g711Config', () => {
  it('describes both laws', () => {
    const fields = { record: Buffer.alloc(0), sampleRate: 8000, channels: 1 }
    expect(g711Config('pcma', 8000, 1)).to.deep.equal({ ...fields, codecString: 'alaw' })
    expect(g711Config('pcmu', 8000, 1)).to.deep.equal({ ...fields, codecString: 'ulaw' })
  })
})
