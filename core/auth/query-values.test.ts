import { expect } from 'chai'
import fc from 'fast-check'
import { withoutQueryValues } from './query-values.ts'

const cases: readonly (readonly [name: string, text: string, query: string, shown: string])[] = [
  ['no query', 'bad token', '', 'bad token'],
  ['a value', 'bad s3cret-token', 'token=s3cret-token', 'bad ***'],
  ['the whole query', 'bad query a=s3cret-token&b=x', 'a=s3cret-token&b=x', 'bad query a=***&b=***'],
  ['a value within a word', 'xs3cret-tokenx', 'token=s3cret-token', 'x***x'],
  ['an encoded value, as sent', 'bad token=abc%2Fdefghi', 'token=abc%2Fdefghi', 'bad token=***'],
  ['an encoded value, decoded', 'bad abc/defghi', 'token=abc%2Fdefghi', 'bad ***'],
  ['an encoded value, encoded in other letters', 'bad abc%2fdefghi', 'token=abc%2Fdefghi', 'bad ***'],
  ['a value with +, as sent', 'bad token=abc+defghi', 'token=abc+defghi', 'bad token=***'],
  ['a value with +, decoded', 'bad abc defghi', 'token=abc+defghi', 'bad ***'],
  ['a value with +, encoded as a component', 'bad abc%20defghi', 'token=abc+defghi', 'bad ***'],
  ['a value with %20, encoded as a form', 'bad abc+defghi', 'token=abc%20defghi', 'bad ***'],
  ['a value with + and more, unescaped', 'bad a+b/cdefg', 'token=a+b%2Fcdefg', 'bad ***'],
  ['a value with quotes, as JSON', String.raw`bad {"t":"ab\"cdef"}`, 'token=ab%22cdef', 'bad {"t":"***"}'],
  ['a value in other letters', 'bad S3CRET-TOKEN', 'token=s3cret-Token', 'bad ***'],
  ['a broken encoding', 'bad abc%zz', 'token=abc%zz', 'bad ***'],
  ['each of a repeated name', 'firstsecret secondsecret', 'token=firstsecret&token=secondsecret', '*** ***'],
  ['a value that another begins with', 'hunter hunter2longsecret', 'a=hunter&b=hunter2longsecret', '*** ***'],
  ['values that overlap', 'x abcdefghi x', 'a=abcdef&b=defghi', 'x *** x'],
  ['a value that overlaps itself', 'abababab!', 'a=ababab', '***!'],
  ['a short value', 'pin 1234, not 12345', 'pin=1234', 'pin ***, not 12345'],
  ['a value of one character', 'a: 1', 'x=1', 'a: ***'],
  ['a parameter without a value', 'bad s3cret-token', 's3cret-token', 'bad ***'],
  ['parameters that are empty', 'bad token', '&&a=&', 'bad token'],
  ['a lone half of a character', 'bad \ud800 x', 'a=%ED%A0%80', 'bad \ud800 x'],
]

describe('a text about a request', () => {
  for (const [name, text, query, shown] of cases) {
    it(`does not show ${name}`, () => expect(withoutQueryValues(text, query)).to.equal(shown))
  }

  it('is not shown with more of a query than is looked for', () => {
    const many = Array.from({ length: 65 }, (_, index) => `p${index}=v${index}`).join('&')
    expect(withoutQueryValues('v64', many)).to.match(/^\(not shown/u)
    expect(withoutQueryValues('bad s3cret-token', `token=s3cret-token&pad=${'x'.repeat(4096)}`)).to.match(
      /^\(not shown/u,
    )
    expect(withoutQueryValues('x'.repeat(20_000), 'token=s3cret-token')).to.match(/^\(not shown/u)
  })

  it('shows no value of six characters or more, whatever surrounds it', () => {
    const text = fc.string().filter((value) => !value.includes('*'))
    const value = fc.string({ minLength: 6, maxLength: 40 }).filter((value) => !value.includes('*'))
    fc.assert(
      fc.property(value, value, text, text, (first, second, before, after) => {
        const query = String(
          new URLSearchParams([
            ['a', first],
            ['a', second],
          ]),
        )
        const sent = query.split('&').map((parameter) => parameter.slice('a='.length))
        for (const form of [first, second, ...sent]) {
          expect(withoutQueryValues(before + form + after, query)).not.to.include(form)
        }
      }),
    )
  })
})
