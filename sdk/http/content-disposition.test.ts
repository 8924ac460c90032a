import { expect } from 'chai'
import fc from 'fast-check'
import { attachmentDisposition } from './content-disposition.ts'

describe('the name of an attachment', () => {
  for (const [name, expected] of [
    ['a film.mp4', `attachment; filename="a film.mp4"; filename*=UTF-8''a%20film.mp4`],
    ['Straße "1".mp4', `attachment; filename="Stra_e _1_.mp4"; filename*=UTF-8''Stra%C3%9Fe%20%221%22.mp4`],
    ['庭/../x\\y.mp4', `attachment; filename="__.._x_y.mp4"; filename*=UTF-8''%E5%BA%AD_.._x_y.mp4`],
    ["it's (100%)*.mp4", `attachment; filename="it's (100_)*.mp4"; filename*=UTF-8''it%27s%20%28100%25%29%2A.mp4`],
    ['a\r\nSet-Cookie: b', `attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a__Set-Cookie%3A%20b`],
    ['right\u202Eto\u2028left', `attachment; filename="right_to_left"; filename*=UTF-8''right_to_left`],
  ] as const) {
    it(`is told for ${JSON.stringify(name)}`, () => expect(attachmentDisposition(name)).to.equal(expected))
  }

  it('is told by plain characters, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        expect(attachmentDisposition(name)).to.match(
          /^attachment; filename="[^"\\%/]*"; filename\*=UTF-8''[\w.!#$&+^`|~%-]*$/u,
        )
      }),
    )
    expect(attachmentDisposition('😀'.repeat(1000))).to.have.length.below(3000)
    expect(attachmentDisposition(`${'a'.repeat(300)}.mp4`)).to.include(`filename="${'a'.repeat(196)}.mp4"`)
    expect(attachmentDisposition('\uD800')).to.include("UTF-8''%EF%BF%BD")
  })
})
