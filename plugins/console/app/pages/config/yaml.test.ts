import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { yamlText } from './yaml.ts'

describe('the YAML of changed keys', () => {
  it('is nested as a config file is', () => {
    const value = {
      rtmp: {
        chunksize: 4096,
        publish: { key: 'my key', pubaudio: false },
        pull: { 'live/a': { url: 'rtmp://host/a', args: {} } },
        deny: ['10.0.0.0/8', { a: 1, b: [] }],
        none: undefined,
      },
    }
    expect(yamlText(value)).to.equal(
      [
        'rtmp:',
        '  chunksize: 4096',
        '  publish:',
        '    key: "my key"',
        '    pubaudio: false',
        '  pull:',
        '    live/a:',
        '      url: "rtmp://host/a"',
        '      args: {}',
        '  deny:',
        '    - "10.0.0.0/8"',
        '    - a: 1',
        '      b: []',
        '',
      ].join('\n'),
    )
  })

  it('means the same texts', () => {
    for (const text of [
      'no',
      'True',
      '~',
      '1e3',
      '0x10',
      '',
      ' a',
      'a: b',
      '# a',
      '- a',
      '"',
      "'",
      'a\nb',
      '\u0085\u2028\ufeff',
      '2026-01-01',
      '12:30:00',
      '=',
      '<<',
      '*a',
      '&a',
      '!a',
      '%a',
      '@a',
      '`a',
    ]) {
      expect(parse(yamlText({ [text]: [text] })), text).to.eql({ [text]: [text] })
    }
  })

  it('means the same values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = JSON.parse(JSON.stringify(value)) as unknown
        expect(parse(yamlText(value), { version: '1.2' })).to.eql(expected)
      }),
    )
  })
})
