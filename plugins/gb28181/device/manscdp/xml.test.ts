import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { element, elementsOf, parseXml, serializeXml, textOf } from './xml.ts'

describe('XML of the device', () => {
  it('is read with attributes, entities, comments and text as it is', () => {
    const root = parseXml(`<?xml version="1.0" encoding="GB2312"?>
      <!-- <No/> --><Query a="1" b='&lt;2'>
        <CmdType> Catalog </CmdType><Empty/><Name>A &amp; B &#65;&#x42; &unknown;</Name><Raw><![CDATA[<x>]]></Raw>
      </Query>`)
    expect(root.name).to.equal('Query')
    expect(root.attributes).to.eql({ a: '1', b: '<2' })
    const texts = ['CmdType', 'Empty', 'Name', 'Raw', 'None'].map((name) => textOf(root, name))
    expect(texts).to.eql(['Catalog', '', 'A & B AB &unknown;', '<x>', undefined])
  })

  it('is written so that it is read again', () => {
    const root = element('Response', [
      ...elementsOf({ CmdType: 'Catalog', SumNum: 2, Left: undefined }),
      element('List', [element('Item', [element('Name', 'a < b & "c"')])], { Num: 1 }),
      undefined,
    ])
    const text = serializeXml(root)
    expect(text).to.include('<SumNum>2</SumNum>').and.include('<List Num="1">').and.not.include('Left')
    expect(serializeXml(parseXml(text))).to.equal(text)
  })

  for (const text of [
    '',
    'plain',
    '<a>',
    '<a><b></a></b>',
    '</a>',
    '<a'.repeat(40),
    '<a>'.repeat(40),
    '<a/>'.repeat(20_001),
  ]) {
    it(`is none in "${text.slice(0, 20)}"`, () => expect(() => parseXml(text)).to.throw(MalformedError))
  }

  it('is read, or refused, whatever the text is', () => {
    const piece = fc.constantFrom(
      '<a>',
      '</a>',
      '<b c="',
      '"',
      '>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '&#99999999;',
      'x',
      '<',
      '/',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          parseXml(pieces.join(''))
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})
