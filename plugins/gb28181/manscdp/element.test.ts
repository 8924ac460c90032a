import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { MAX_TAGS, MAX_TEXT_LENGTH, parseXml, type XmlElement } from './element.ts'
import { MAX_DEPTH } from './mended-xml.ts'

/** What an element holds: a text, or elements in their order. */
type Plain = string | readonly (readonly [name: string, content: Plain])[]

function plain({ value, children }: XmlElement): Plain {
  return children.length === 0 ? value : children.map((child) => [child.name, plain(child)])
}

/** The items of a list whose second item is the given one. */
function itemsAround(broken: string): Plain[] {
  const list = `<Item><ID>1</ID><Name>a</Name></Item>${broken}<Item><ID>3</ID><Name>c</Name></Item>`
  const root = parseXml(`<?xml version="1.0"?><Response><List Num="3">${list}</List><Sum>3</Sum></Response>`)
  expect(root.text('Sum')).to.equal('3')
  return root.child('List')!.all('Item').map(plain)
}

const FIRST = [
  ['ID', '1'],
  ['Name', 'a'],
]
const LAST = [
  ['ID', '3'],
  ['Name', 'c'],
]

const BROKEN_ITEMS: readonly (readonly [name: string, item: string, second: Plain])[] = [
  [
    'none',
    '<Item><ID>2</ID><Name>b</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'an end that is missing',
    '<Item><ID>2<Name>b</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'the last end that is missing',
    '<Item><ID>2</ID><Name>b</Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'the end of the item that is missing',
    '<Item><ID>2</ID><Name>b</Name>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'both ends that are missing',
    '<Item><ID>2</ID><Name>b',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'another end',
    '<Item><ID>2</Id><Name>b</Nome></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'an end too many',
    '<Item><ID>2</ID></ID><Name>b</Name></Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'an end of the root',
    '<Item><ID>2</ID></Response><Name>b</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'an end that is cut off',
    '<Item><ID>2</ID<Name>b</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'an unescaped &',
    '<Item><ID>2</ID><Name>b & c</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b & c'],
    ],
  ],
  [
    'an unescaped <',
    '<Item><ID>2</ID><Name>b < c<d <<</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b < c<d <<'],
    ],
  ],
  [
    'a quote without an end',
    '<Item><ID x="y>2</ID><Name>b</Name></Item>',
    [
      ['ID', '2'],
      ['Name', 'b'],
    ],
  ],
  [
    'an attribute without quotes',
    '<Item><ID x=y>2</ID><Name/></Item>',
    [
      ['ID', '2'],
      ['Name', ''],
    ],
  ],
  [
    'CDATA and a reference',
    '<Item><ID>2</ID></X><Name><![CDATA[<&amp;]]>&lt;</Name></Item>',
    [
      ['ID', '2'],
      ['Name', '<&amp;<'],
    ],
  ],
]

const TEXTS: readonly (readonly [name: string, text: string, value: string])[] = [
  ['references of XML and numbers', '&amp;&lt;&gt;&quot;&apos;&#20013;&#x4E2D;', '&<>"\'中中'],
  ['references that are none', '&foo; &; &#x110000; &amp;lt;', '&foo; &;  &lt;'],
  ['characters that XML lacks', 'a\u0000b\u0008c&#0;d&#xD800;e', 'abcde'],
  ['spaces around it', ' \r\n a b\t ', 'a b'],
  ['CDATA', '<![CDATA[a<b&amp;c ]]>d', 'a<b&amp;c d'],
  ['a comment within', 'a<!-- <b>c</b> -->d', 'ad'],
]

describe('XML of devices', () => {
  it('is found by names in any case', () => {
    const root = parseXml('<r><Name> a </Name><NAME>b</NAME><List><item/></List><Empty/></r>')
    expect([root.text('name'), root.text('Empty'), root.text('None')]).to.eql(['a', undefined, undefined])
    expect(root.all('name').map(({ value }) => value)).to.eql(['a', 'b'])
    expect(root.child('LIST')?.child('Item')?.value).to.equal('')
    expect(root.child('None')).to.equal(undefined)
  })

  it('has numbers, whatever stands behind them', () => {
    for (const [text, number, integer] of [
      ['12', 12, 12],
      [' -116.5 ', -116.5, -116],
      ['+7', 7, 7],
      ['.5', 0.5, 0],
      ['-.5', -0.5, 0],
      ['30.5°', 30.5, 30],
      ['007', 7, 7],
      ['1e400', 1, 1],
      ['', undefined, undefined],
      ['none', undefined, undefined],
    ] as const) {
      const root = parseXml(`<r><n>${text}</n></r>`)
      expect([root.number('n'), root.integer('n')], text).to.eql([number, integer])
    }
  })

  for (const [name, text, value] of TEXTS) {
    it(`has texts with ${name}`, () => {
      expect(parseXml(`<r><t>${text}</t></r>`).child('t')?.value).to.equal(value)
      // What has to be mended is read alike.
      expect(parseXml(`<r></x><t>${text}</t></r>`).child('t')?.value).to.equal(value)
    })
  }

  for (const [name, item, second] of BROKEN_ITEMS) {
    it(`loses no other item by ${name}`, () => {
      expect(itemsAround(item)).to.eql([FIRST, second, LAST])
    })
  }

  it('may have elements of the same name within each other where nothing is broken', () => {
    expect(plain(parseXml('<r><a><a>1</a></a></r>'))).to.eql([['a', [['a', '1']]]])
  })

  for (const [name, text] of [
    ['with text before it', 'junk\r\n<?xml version="1.0"?><R><A>1</A><B>2</B></R>'],
    ['with zeros behind it', '<R><A>1</A><B>2</B></R>\0\0\0'],
    ['with a declaration that is none', '<?xml version=1.0 encoding=?><R><A>1</A><B>2</B></R>'],
    ['with text behind it', '<R><A>1</A><B>2</B></R>\r\nmore'],
    ['without an end', '<R><A>1</A><B>2'],
    ['with half an end', '<R><A>1</A><B>2</B'],
  ] as const) {
    it(`is read ${name}`, () => {
      expect(plain(parseXml(text))).to.eql([
        ['A', '1'],
        ['B', '2'],
      ])
    })
  }

  const bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
  for (const [name, text] of [
    ['nothing', ''],
    ['no element', 'text'],
    ['entities', `${bomb}<r>&b;</r>`],
    ['entities behind the root', `<r>&b;</r>${bomb}`],
    ['a file of another', '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>'],
    ['too much text', `<r>${'a'.repeat(MAX_TEXT_LENGTH)}</r>`],
    ['too many tags', `<r>${'<a/>'.repeat(MAX_TAGS)}</r>`],
    ['too deep elements', '<a><b>'.repeat(MAX_DEPTH) + '</b></a>'.repeat(MAX_DEPTH)],
    ['a name that JavaScript has', '<r><__proto__>1</__proto__></r>'],
  ] as const) {
    it(`is refused with ${name}`, () => {
      expect(() => parseXml(text)).to.throw(MalformedError)
    })
  }

  it('is refused with too deep elements without ends, before they are sought in each other', () => {
    const text = Array.from({ length: 100 }, (_, index) => `<a${index}>`).join('')
    expect(() => parseXml(text)).to.throw(MalformedError, `more than ${MAX_DEPTH} levels`)
  })

  it('is read in time that grows with it, however broken it is', () => {
    // What took time by the square of its length would not end within the test.
    for (const piece of [
      '<',
      '<a ',
      '<!--',
      '<![CDATA[',
      '&',
      '&#1;',
      '<a "',
      '<?',
      '</a>',
      '<a>',
      ']]>',
      ' ',
      'x=1 ',
    ]) {
      const count = Math.min(MAX_TAGS - 10, Math.floor((MAX_TEXT_LENGTH - 10) / piece.length))
      expect(parseXml(`<r>${piece.repeat(count)}</r>`).name).to.equal('r')
    }
  }).timeout(60_000)
})
