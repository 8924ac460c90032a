import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import {
  MAX_SESSION_ID_LENGTH,
  parseSessionHeader,
  serializeSessionHeader,
  type SessionHeader,
} from './session-header.ts'

const cases: { text: string; same?: string[]; header: SessionHeader }[] = [
  {
    text: '3315418157',
    same: [' 3315418157 ;', '3315418157;timeout=0', '3315418157;timeout=x;a'],
    header: { id: '3315418157' },
  },
  { text: '"a, b":{c}', header: { id: '"a, b":{c}' } },
  {
    text: '3ca0f3d540d3a97f;timeout=60',
    same: [
      '3ca0f3d540d3a97f ; Timeout = 60',
      '3ca0f3d540d3a97f;a=b;timeout=60;timeout=61',
      '3ca0f3d540d3a97f;timeout="60.5"s',
    ],
    header: { id: '3ca0f3d540d3a97f', timeoutSeconds: 60 },
  },
]

describe('parseSessionHeader', () => {
  for (const { text, same = [], header } of cases) {
    it(`takes ${text}`, () => {
      for (const each of [text, ...same]) expect(parseSessionHeader(each), each).to.deep.equal(header)
    })
  }

  for (const text of ['', ';timeout=60', 'a\u0000b', 'a'.repeat(MAX_SESSION_ID_LENGTH + 1)]) {
    it(`refuses '${text.slice(0, 20)}'`, () => {
      expect(() => parseSessionHeader(text)).to.throw(MalformedError)
    })
  }

  it('parses or refuses any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          const header = parseSessionHeader(text)
          expect(parseSessionHeader(serializeSessionHeader(header))).to.deep.equal(header)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
    )
  })
})

describe('serializeSessionHeader', () => {
  for (const { text, header } of cases) {
    it(`writes ${text}`, () => {
      expect(serializeSessionHeader(header)).to.equal(text)
    })
  }
})
