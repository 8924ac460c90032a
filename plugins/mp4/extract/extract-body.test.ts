import { expect } from 'chai'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { extractBody, piecesOf } from './extract-body.ts'

describe('the body of an extract', () => {
  it('is all of it, and ends when nobody takes it', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251))
    expect(Buffer.concat(await extractBody(piecesOf(bytes), 1000).toArray()).equals(bytes)).to.equal(true)
    let isClosed = false
    async function* pieces() {
      try {
        for (;;) yield Buffer.of(1)
      } finally {
        isClosed = true
      }
    }
    const body = extractBody(pieces(), 20)
    const stalled = new Promise((_, reject) => body.once('error', reject))
    body.read()
    expect(await rejectionOf(stalled)).to.have.property('message', 'the client takes nothing')
    await new Promise((resolve) => setImmediate(resolve))
    expect(isClosed).to.equal(true)
  })
})
