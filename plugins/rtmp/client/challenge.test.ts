import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { answerChallenge } from './challenge.ts'
import { RtmpClientError } from './client-error.ts'

const REFUSED = '[ AccessManager.Reject ] : '
const USER = { name: 'someone', password: 'pa55word' }
const NONCE = '0badcafe'

const md5 = (text: string) => createHash('md5').update(text)
const base64 = (text: string) => md5(text).digest('base64')
const hex = (text: string) => md5(text).digest('hex')

function answer(description: string, user: typeof USER | undefined = USER, app = 'live'): string | undefined {
  return answerChallenge({ description, app, user, clientNonce: NONCE })
}

describe('answerChallenge', () => {
  it('tells its name to who asks for it', () => {
    for (const mode of ['adobe', 'llnw']) {
      expect(answer(`${REFUSED}[ code=403 need auth; authmod=${mode} ] : `)).to.equal(`authmod=${mode}&user=someone`)
    }
    expect(answer('[ code=403 need auth; authmod=adobe ]', { name: 'a&b=c', password: '' })).to.equal(
      'authmod=adobe&user=a%26b%3Dc',
    )
  })

  it("meets Adobe's challenge, by its opaque where there is one", () => {
    const asked = `${REFUSED}[ authmod=adobe ] : ?reason=needauth&user=someone&salt=5a17&challenge=c4a1==`
    const secret = base64('someone5a17pa55word')
    const plain = base64(`${secret}c4a1==${NONCE}`)
    expect(answer(asked)).to.equal(`authmod=adobe&user=someone&challenge=${NONCE}&response=${plain}`)
    const opaque = base64(`${secret}0pa9ue+/=${NONCE}`)
    expect(answer(`${asked}&opaque=0pa9ue+/=`)).to.equal(
      `authmod=adobe&user=someone&challenge=${NONCE}&response=${opaque}&opaque=0pa9ue+/=`,
    )
  })

  it("meets Limelight's challenge, for an app with and without an instance", () => {
    const asked = `${REFUSED}[ authmod=llnw ] : ?reason=needauth&user=someone&nonce=n0nce=`
    for (const [app, what] of [
      ['live', 'publish:/live/_definst_'],
      ['live/two', 'publish:/live/two'],
    ] as const) {
      const response = hex(`${hex('someone:live:pa55word')}:n0nce=:00000001:${NONCE}:auth:${hex(what)}`)
      expect(answer(asked, USER, app)).to.equal(
        `authmod=llnw&user=someone&nonce=n0nce=&cnonce=${NONCE}&nc=00000001&response=${response}`,
      )
    }
  })

  it('leaves other refusals alone', () => {
    for (const description of ['', 'no', '[ AccessManager.Reject ] : [ authmod=other ] : ?reason=needauth']) {
      expect(answer(description)).to.equal(undefined)
    }
  })

  it('says when the name or password is wrong, or there is none', () => {
    for (const reason of ['authfailed', 'nosuchuser']) {
      expect(() => answer(`${REFUSED}[ authmod=adobe ] : ?reason=${reason}&opaque=x`)).to.throw(
        RtmpClientError,
        /^the server does not take this name and password$/u,
      )
    }
    expect(() =>
      answerChallenge({ description: 'authmod=llnw', app: 'a', user: undefined, clientNonce: NONCE }),
    ).to.throw(RtmpClientError, /^the server asks for a name and password/u)
  })

  it('answers or refuses any text, and never tells the password', () => {
    const texts = fc.constantFrom('authmod=adobe', 'authmod=llnw', '?reason=needauth', '&salt=', '&nonce=', '&', ' : ')
    fc.assert(
      fc.property(fc.array(fc.oneof(texts, fc.string({ unit: 'binary' }))), (parts) => {
        let said: unknown
        try {
          said = answer(parts.join(''))
        } catch (error) {
          expect(error).to.be.instanceOf(RtmpClientError)
          said = (error as RtmpClientError).message
        }
        expect(String(said)).not.to.include(USER.password)
      }),
    )
  })
})
