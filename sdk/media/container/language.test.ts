import { expect } from 'chai'
import { languageCodeOf, languageTagOf } from './language.ts'

const CASES: readonly [tag: string, code: string][] = [
  ['en', 'eng'],
  ['de', 'deu'],
  ['zh', 'zho'],
  ['sr', 'srp'],
  ['gsw', 'gsw'],
]

describe('languages', () => {
  for (const [tag, code] of CASES) {
    it(`are ${tag} as a tag and ${code} in containers`, () => {
      expect(languageCodeOf(tag)).to.equal(code)
      expect(languageTagOf(code)).to.equal(tag)
    })
  }

  it('are known by their older codes, and by tags that say more', () => {
    expect([languageTagOf('ger'), languageTagOf('FRE')]).to.eql(['de', 'fr'])
    expect([languageCodeOf('pt-BR'), languageCodeOf('zh-Hant-TW')]).to.eql(['por', 'zho'])
  })

  it('are none where the text is none, or says so', () => {
    for (const code of ['', 'und', 'e1g', 'en', 'engl']) expect(languageTagOf(code)).to.equal(undefined)
    for (const tag of [undefined, '', '-', 'x-klingon', 'Director’s cut'])
      expect(languageCodeOf(tag)).to.equal(undefined)
  })
})
