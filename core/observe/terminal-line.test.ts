import { expect } from 'chai'
import { createLogger } from './logger.ts'
import { terminalLine } from './terminal-line.ts'

/** The line that a call of the logger makes. */
function lineOf(call: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = []
  call(
    createLogger({ level: 'debug', destination: { write: (json) => void lines.push(terminalLine(JSON.parse(json))) } }),
  )
  return lines.join('\n')
}

describe('terminalLine', () => {
  const cases: readonly (readonly [fields: object, msg: string, line: string])[] = [
    [{}, 'stopped', 'stopped'],
    [
      { plugin: 'rtmp', session: 2, stream: 'live/a', ip: '::1' },
      'publish',
      'rtmp: publish session=2 stream=live/a ip=::1',
    ],
    [{ reason: 'the client left', dropped: undefined }, 'play ended', 'play ended reason="the client left"'],
    [{ changes: [{ section: 'hls', keys: ['mode'] }] }, 'x', 'x changes=[{"section":"hls","keys":["mode"]}]'],
    [{ text: 'a\nb', empty: '' }, 'x', String.raw`x text="a\nb" empty=""`],
  ]
  for (const [fields, msg, line] of cases) {
    it(`shows ${line}`, () => expect(lineOf((log) => log.info(fields, msg))).to.equal(line))
  }

  it('shows an error with its stack and its causes below', () => {
    const err = new Error('outer', { cause: new TypeError('inner') })
    const [first, ...rest] = lineOf((log) => log.error({ plugin: 'flv', err }, 'a sink failed')).split('\n')
    expect(first).to.equal('flv: a sink failed')
    expect(rest.join('\n'))
      .to.match(/^ {4}Error: outer\n {8}at /u)
      .and.to.match(/caused by:\n +TypeError: inner/u)
  })

  it('shows a stack that was logged without its error below, too', () => {
    expect(lineOf((log) => log.error({ reason: 'x', stack: '    at a\n    at b' }, 'hook failed'))).to.equal(
      'hook failed reason=x\n        at a\n        at b',
    )
  })

  it('shows no secret', () => {
    expect(lineOf((log) => log.info({ token: 'hidden', publish: { key: 'hidden' } }, 'x'))).not.to.include('hidden')
  })
})
