import { expect } from 'chai'
import fc from 'fast-check'
import { escapeXml, MAX_XML_DEPTH, MAX_XML_ELEMENTS, parseXml, textOf, type XmlElement } from './xml.ts'

const leaf = (name: string, text: string): XmlElement => ({ name, text, children: [] })

const CASES: readonly (readonly [string, XmlElement])[] = [
  ['<a/>', leaf('a', '')],
  ['<a />', leaf('a', '')],
  ['<a></a >', leaf('a', '')],
  ['<?xml version="1.0" encoding="UTF-8"?>\n<a>b</a>\n', leaf('a', 'b')],
  ['<a x="1>2" y=\'/\'/>', leaf('a', '')],
  ['<a xmlns="http://s3.amazonaws.com/doc/2006-03-01/">b</a>', leaf('a', 'b')],
  ['<s3:a xmlns:s3="x">b</s3:a>', leaf('a', 'b')],
  ['<a><!-- <b> -->c<![CDATA[<d>&amp;]]></a>', leaf('a', 'c<d>&amp;')],
  ['<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F3A5;&none;&#x110000;&</a>', leaf('a', '<>&"\'A🎥&none;&#x110000;&')],
  ['<a>x<b>1</b>y<b>2</b></a>', { name: 'a', text: 'xy', children: [leaf('b', '1'), leaf('b', '2')] }],
]

const MALFORMED = [
  '',
  'text',
  '<a>',
  '</a>',
  '<a></b>',
  '<a/><b/>',
  '<a',
  '<a b="c/>',
  '<a><b></a></b>',
  '<!-- a',
  '< a/>',
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  `${'<a>'.repeat(MAX_XML_DEPTH + 1)}${'</a>'.repeat(MAX_XML_DEPTH + 1)}`,
  `<a>${'<b/>'.repeat(MAX_XML_ELEMENTS)}</a>`,
]

describe('XML as servers of S3 answer it', () => {
  for (const [text, expected] of CASES) {
    it(`is read: ${text.replaceAll('\n', ' ')}`, () => expect(parseXml(text)).to.eql(expected))
  }

  for (const text of MALFORMED) {
    it(`is refused: ${text.slice(0, 50)}`, () => expect(() => parseXml(text)).to.throw(SyntaxError, 'at character'))
  }

  it('gives the text of an element', () => {
    const root = parseXml('<a><b>1</b><c/></a>')
    expect([textOf(root, 'b'), textOf(root, 'c'), textOf(root, 'd')]).to.eql(['1', '', ''])
  })

  it('is read or refused, whatever comes', () => {
    const pieces = fc.constantFrom(
      '<a>',
      '</a>',
      '<b/>',
      '<',
      '>',
      '&',
      '&#',
      ';',
      '"',
      "'",
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string())), (parts) => {
        try {
          parseXml(parts.join(''))
        } catch (error) {
          expect(error).to.be.instanceOf(SyntaxError)
        }
      }),
    )
  })

  it('has any text that was escaped', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseXml(`<a>${escapeXml(text)}</a>`).text).to.equal(text)
      }),
    )
  })
})
