import { expect } from 'chai'
import type { LevelWithSilent, Logger } from 'pino'
import { createLogger, pluginLogger, withoutQuery } from './logger.ts'

const URLS = [
  { url: '/flv/live/a.flv?secret=abc&expire=1', logged: '/flv/live/a.flv' },
  { url: '/flv/live/a.flv', logged: '/flv/live/a.flv' },
  { url: 'rtmp://host/live/a#secret', logged: 'rtmp://host/live/a' },
  { url: 'rtsp://user:pass@host:554/live?token=1', logged: 'rtsp://host:554/live' },
  { url: '//user@host/x', logged: '//host/x' },
  { url: '/mail/me@example/x', logged: '/mail/me@example/x' },
  { url: '?secret', logged: '' },
]

describe('logger', () => {
  let lines: Record<string, unknown>[]

  beforeEach(() => {
    lines = []
  })

  function make(level: LevelWithSilent = 'info'): Logger {
    return createLogger({ level, destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  }

  it('writes a JSON line with time, level and message', () => {
    make().info({ streamPath: 'live/a' }, 'started')
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ level: 'info', msg: 'started', streamPath: 'live/a' })
    expect(lines[0]?.['time']).to.match(/^\d{4}-\d\d-\d\dT/)
  })

  it('shows no value of a secret-looking key', () => {
    const publish = { key: 'hidden', maxcount: 1 }
    make().info({ password: 'hidden', publish, config: { db: { dsn: 'hidden' } } }, 'config')
    expect(JSON.stringify(lines)).not.to.contain('hidden')
    expect(lines[0]).to.have.deep.property('publish', { key: '***', maxcount: 1 })
  })

  it('shows the causes of an error', () => {
    make().error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
    expect(lines[0]).to.have.nested.property('err.message', 'outer')
    expect(lines[0]).to.have.nested.property('err.cause.message', 'inner')
  })

  it('does not show the bytes of a request that was refused', () => {
    const err = Object.assign(new Error('Parse Error'), { rawPacket: Buffer.from('GET /?secret=hidden') })
    make().error({ err }, 'failed')
    expect(lines[0]).to.have.nested.property('err.message', 'Parse Error')
    expect(lines[0]).not.to.have.nested.property('err.rawPacket')
  })

  it('logs a request without its query', () => {
    make().info({ req: { method: 'GET', url: '/a?secret=hidden', ip: '::1' } })
    expect(lines[0]?.['req']).to.deep.equal({ method: 'GET', path: '/a', ip: '::1' })
  })

  it('gives a plugin a level of its own', () => {
    const root = make('warn')
    const plugin = pluginLogger(root, 'rtmp', 'debug')
    root.info('not shown')
    plugin.debug('shown')
    plugin.child({ session: 1 }).debug('shown')
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['shown', 'shown'])
    expect(lines[1]).to.include({ plugin: 'rtmp', session: 1 })
  })

  for (const { url, logged } of URLS) {
    it(`logs ${url} as ${logged || 'nothing'}`, () => expect(withoutQuery(url)).to.equal(logged))
  }
})
