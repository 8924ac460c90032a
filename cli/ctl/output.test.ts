import { expect } from 'chai'
import { Answer } from './answer.ts'
import { Output } from './output.ts'
import { ageText, bitRateText, bytesText, durationText } from './quantities.ts'
import { sectionValues } from './section-values.ts'

function output(options: { readonly isTTY: boolean; readonly json?: boolean; readonly columns?: number }) {
  const written: string[] = []
  const { json = false, ...stream } = options
  const to = new Output({ ...stream, write: (text: string) => written.push(text) }, { json })
  return { to, text: () => written.join('') }
}

describe('the output of a command', () => {
  const view = (width: number) => [`${width} cells`]

  it('is for a person at a terminal, as wide as that is', () => {
    const { to, text } = output({ isTTY: true, columns: 40 })
    to.show([1], view)
    to.done('Stopped live/\u001b[2J', { a: 1 })
    expect(text()).to.equal('40 cells\nStopped live/\\u001b[2J\n')
  })

  it('is JSON elsewhere, or where that is asked for, and nothing where there is no answer', () => {
    for (const options of [{ isTTY: false }, { isTTY: true, json: true }]) {
      const { to, text } = output(options)
      to.show(['\u009b'], view)
      to.show(undefined, view)
      to.done('Stopped')
      to.done('Stopped', null)
      to.done('Set', { a: 1 })
      expect(text()).to.equal('[\n  "\\u009b"\n]\nnull\n{\n  "a": 1\n}\n')
    }
  })

  it('refreshes a line at a terminal, and writes one an event elsewhere', () => {
    const line = (width: number) => `at ${width}`
    const terminal = output({ isTTY: true })
    terminal.to.refresh({ a: 1 }, line)
    terminal.to.endLine()
    terminal.to.endLine()
    expect(terminal.text()).to.equal('\rat 80\u001b[K\n')
    const program = output({ isTTY: false })
    program.to.refresh({ a: 1 }, line)
    program.to.endLine()
    expect(program.text()).to.equal('{"a":1}\n')
  })
})

describe('quantities', () => {
  it('have a unit that a person reads at a glance', () => {
    expect([0, 12, 125, 38_750, 1_250_000, 1e12].map(bitRateText)).to.eql([
      '0 bit/s',
      '96 bit/s',
      '1 kbit/s',
      '310 kbit/s',
      '10 Mbit/s',
      '8 Tbit/s',
    ])
    expect([0, 999, 1550, 25_000_000].map(bytesText)).to.eql(['0 B', '999 B', '1.6 kB', '25 MB'])
  })

  it('are times of one or two units', () => {
    const texts = [-5, 0, 42_000, 185_000, 7_800_000, 442_800_000].map(durationText)
    expect(texts).to.eql(['0s', '0s', '42s', '3m05s', '2h10m', '5d03h'])
    expect(['', '0001-01-01T00:00:00Z'].map(ageText)).to.eql(['', ''])
    expect(ageText(new Date().toISOString())).to.match(/^\d+s$/u)
  })
})

describe('the answer of a server', () => {
  it('is read whatever is missing in it, and whatever its numbers are', () => {
    const answer = new Answer({ a: '12', b: 5, c: true, d: null, e: { f: 1 }, g: [{ h: 2 }] })
    expect(['a', 'b', 'c', 'd', 'e', 'z'].map((name) => answer.text(name))).to.eql([
      '12',
      '5',
      'true',
      '',
      '{"f":1}',
      '',
    ])
    expect(['a', 'b', 'd', 'z'].map((name) => answer.number(name))).to.eql([12, 5, 0, 0])
    expect([answer.is('c'), answer.is('z')]).to.eql([true, false])
    expect([answer.object('e').text('f'), answer.object('d').text('f')]).to.eql(['1', ''])
    expect(answer.list('g').map((item) => item.text('h'))).to.eql(['2'])
    expect(answer.list('z')).to.eql([])
  })

  it('is refused where it is of another kind', () => {
    for (const json of [undefined, null, 'text', []]) expect(() => new Answer(json)).to.throw('this version')
    for (const json of [undefined, {}, ['text']]) expect(() => Answer.listOf(json)).to.throw('this version')
  })

  it('has the keys of a section of the config', () => {
    const section = new Answer({
      config: { chunksize: 4096, publish: { key: '***', rules: { a: 1 } } },
      sources: { chunksize: 'file', 'publish.key': 'env', 'publish.rules': 'default', 'publish.gone': 'default' },
    })
    expect(sectionValues(section, 'Chunk_Size')).to.eql([{ key: 'chunksize', value: 4096, source: 'file' }])
    expect(sectionValues(section, 'publish').map(({ value }) => value)).to.eql(['***', { a: 1 }, undefined])
    expect(sectionValues(section, 'pub')).to.eql([])
    expect(sectionValues(section)).to.have.length(4)
  })
})
