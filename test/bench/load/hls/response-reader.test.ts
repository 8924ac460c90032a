import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../support/soak.ts'
import { ResponseReader } from './response-reader.ts'

type Sent = { readonly status: number; readonly body: Uint8Array }

function serialize({ status, body }: Sent): Buffer {
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} Fine\r\nVary: *\r\nContent-Length: ${body.length}\r\nX: y\r\n\r\n`),
    body,
  ])
}

const SENT = fc.record({ status: fc.integer({ min: 200, max: 599 }), body: fc.uint8Array({ maxLength: 400 }) })

describe('responses on a connection', () => {
  it('are read however their bytes come in', () => {
    const several = fc.array(SENT, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(several, fc.integer({ min: 1, max: 900 }), fc.boolean(), (sent, cut, keepsBody) => {
        const read: Sent[] = []
        const sizes: number[] = []
        const reader = new ResponseReader(({ status, body, bodyBytes }) => {
          read.push({ status, body: Uint8Array.from(body) })
          sizes.push(bodyBytes)
        })
        reader.keepsBody = keepsBody
        const bytes = Buffer.concat(sent.map(serialize))
        for (let start = 0; start < bytes.length; start += cut) {
          // The bytes of a read are overwritten by the next.
          const view = Buffer.from(bytes.subarray(start, start + cut))
          reader.push(view)
          view.fill(0)
        }
        const expected = keepsBody ? sent : sent.map(({ status }) => ({ status, body: new Uint8Array() }))
        expect(read).to.eql(expected)
        expect(sizes).to.eql(sent.map(({ body }) => body.length))
      }),
      { numRuns: rounds(200) },
    )
  })

  it('without an end or a length are refused', () => {
    const reader = () => new ResponseReader(() => expect.fail('read'))
    expect(() => reader().push(Buffer.alloc(20_000))).to.throw('without end')
    expect(() => reader().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).to.throw('no response')
  })
})
