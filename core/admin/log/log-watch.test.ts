import { expect } from 'chai'
import { createLogger } from '../../observe/logger.ts'
import { RecentLog } from '../../observe/recent-log.ts'
import type { LogFilter } from './log-line.ts'
import { LogWatch } from './log-watch.ts'

describe('the log for one client', () => {
  let recent: RecentLog
  let log: ReturnType<typeof createLogger>
  let watch: LogWatch | undefined

  beforeEach(() => {
    recent = new RecentLog()
    log = createLogger({ level: 'trace', destination: { write: () => {} }, recent })
  })
  afterEach(() => watch?.close())

  const open = (tail: number, filter: LogFilter = {}) => (watch = new LogWatch(recent, { tail, ...filter }))
  const messages = async (count: number) => {
    const found: (string | undefined)[] = []
    while (found.length < count) found.push(...((await watch?.next()) ?? []).map(({ msg }) => msg))
    return found
  }

  it('has the newest lines from before, and then those that come, with all their fields', async () => {
    for (const msg of ['one', 'two', 'three']) log.info(msg)
    open(2)
    log.child({ plugin: 'cameras' }).warn({ port: 7, password: 'hush' }, 'four')
    expect(await messages(2)).to.eql(['two', 'three'])
    const [{ time, ...line } = { time: '' }] = (await watch?.next()) ?? []
    expect(new Date(time).getTime()).to.be.closeTo(Date.now(), 60_000)
    expect(line).to.eql({
      level: 'warn',
      msg: 'four',
      plugin: 'cameras',
      rest: { port: 7, password: '***' },
      dropped: 0,
    })
  })

  const filters: readonly { readonly what: string; readonly filter: LogFilter; readonly seen: readonly string[] }[] = [
    { what: 'a lowest level', filter: { level: 'warn' }, seen: ['b', 'c', 'e', 'f'] },
    { what: 'a plugin', filter: { plugin: 'cameras' }, seen: ['c', 'd', 'f'] },
    { what: 'a text in any field', filter: { search: 'LIVE/"X"' }, seen: ['d', 'e'] },
    { what: 'all of these', filter: { level: 'info', plugin: 'cameras', search: 'live/' }, seen: ['d', 'f'] },
  ]
  for (const { what, filter, seen } of filters) {
    it(`is filtered by ${what}, before and after`, async () => {
      const say = () => {
        const ofPlugin = log.child({ plugin: 'cameras' })
        log.debug('a')
        log.warn('b')
        ofPlugin.error('c')
        ofPlugin.info({ stream: 'live/"x"' }, 'd')
        log.fatal({ nested: { stream: 'live/"x"' } }, 'e')
        ofPlugin.warn({ stream: 'live/y' }, 'f')
      }
      say()
      open(100, filter)
      say()
      expect(await messages(2 * seen.length)).to.eql([...seen, ...seen])
    })
  }

  it('drops the oldest lines for a client that takes none, and says how many', async () => {
    open(0)
    for (let number = 0; number < 1500; number++) log.info(String(number))
    expect(await watch?.next()).to.eql([])
    const lines = (await watch?.next()) ?? []
    expect(lines.slice(0, 2).map(({ msg, dropped }) => [msg, dropped])).to.eql([
      ['500', 500],
      ['501', 0],
    ])
    expect(lines).to.have.length(100)
  })

  it('wakes a client that waits, and ends when it is closed', async () => {
    open(10)
    expect(await watch?.next()).to.eql([])
    const waiting = watch?.next()
    log.info('at last')
    expect((await waiting)?.[0]?.msg).to.equal('at last')
    const never = watch?.next()
    watch?.close()
    expect(await never).to.equal(undefined)
  })
})
