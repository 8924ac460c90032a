import { expect } from 'chai'
import { MAX_LINES, nextState, NO_LINES, restText, type LogAction, type LogLine } from './log-lines.ts'

function line(msg: string, second = 0): LogLine {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  return { time, level: 'info', msg, plugin: '', rest: {}, dropped: 0 }
}
const added = (...lines: LogLine[]): LogAction => ({ kind: 'added', lines })
const after = (...actions: LogAction[]) => actions.reduce(nextState, NO_LINES)
const messages = (lines: readonly LogLine[]) => lines.map(({ msg }) => msg)

describe('the lines on the page of the log', () => {
  it('are the newest, each with a number of its own', () => {
    const { lines } = after(added(line('a'), line('b')), added(...Array.from({ length: MAX_LINES }, () => line('c'))))
    expect(lines).to.have.length(MAX_LINES)
    expect(new Set(messages(lines))).to.eql(new Set(['c']))
    expect(new Set(lines.map(({ id }) => id)).size).to.equal(MAX_LINES)
  })

  it('wait while it is paused, and come when it goes on', () => {
    const paused = after(added(line('a')), { kind: 'paused' }, added(line('b')))
    expect([messages(paused.lines), messages(paused.held)]).to.eql([['a'], ['b']])
    const resumed = nextState(paused, { kind: 'resumed' })
    expect([messages(resumed.lines), messages(resumed.held)]).to.eql([['a', 'b'], []])
  })

  it('stay away once they were cleared, also when the server tells them again', () => {
    const now = line('', 5).time
    const again = after(
      added(line('a', 1)),
      { kind: 'cleared', now },
      { kind: 'begun' },
      added(line('a', 1), line('b', 6)),
    )
    expect(messages(again.lines)).to.eql(['b'])
  })
})

describe('the other fields of a line', () => {
  it('are texts as they are, stacks with their lines, and all else as JSON', () => {
    const rest = { owner: 'rtmp', port: 1935, err: { type: 'Error', stack: 'Error: no\n    at here' } }
    expect(restText(rest)).to.equal('owner: rtmp\nport: 1935\nerr: Error: no\n    at here\n{\n  "type": "Error"\n}')
  })
})
