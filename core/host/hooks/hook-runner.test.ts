import assert from 'node:assert/strict'
import { expect } from 'chai'
import {
  CLIENT_LEFT,
  InvalidRequest,
  SluiceError,
  StreamDenied,
  StreamExists,
  StreamUnavailable,
  type EndedTask,
  type HookOrder,
  type Hooks,
  type Resolution,
  type SessionRequest,
  type StreamInfo,
} from 'sluice/sdk'
import { logLines } from '../testing/log-lines.ts'
import { until } from '../testing/until.ts'
import { HookRunner } from './hook-runner.ts'
import type { HookOwner } from './tap-list.ts'

const REQUEST = {
  streamPath: 'live/test',
  action: 'publish',
  protocol: 'rtmp',
  query: '',
  params: {},
} as SessionRequest
const STREAM = { path: 'live/test' } as StreamInfo
const never = () => new Promise<never>(() => {})

describe('HookRunner', () => {
  let runner: HookRunner
  let logged: ReturnType<typeof logLines>
  let owner: HookOwner

  const on = <Name extends keyof Hooks>(name: Name, hook: Hooks[Name], by = owner, order?: HookOrder) =>
    runner.registryFor(by).on(name, hook, order)

  beforeEach(() => {
    runner = new HookRunner({ timeoutMs: 30 })
    logged = logLines()
    owner = { plugin: 'alpha', log: logged.log.child({ plugin: 'alpha' }) }
  })

  const denial = async () => {
    try {
      await runner.admit('publish', REQUEST)
    } catch (error) {
      if (error instanceof StreamDenied) return error
    }
    throw new Error('was not denied')
  }

  describe('admission', () => {
    it('admits when nobody taps', () => runner.admit('publish', REQUEST))

    it('asks in the order of tapping, each after the other has settled', async () => {
      const asked: string[] = []
      on('publish', async () => {
        await new Promise(setImmediate)
        asked.push('first')
      })
      on('publish', () => void asked.push('second'))
      await runner.admit('publish', REQUEST)
      expect(asked).to.deep.equal(['first', 'second'])
    })

    for (const [how, hook] of [
      [
        'throws',
        () => {
          throw new Error('no')
        },
      ],
      ['rejects', () => Promise.reject(new Error('no'))],
    ] as const) {
      it(`denies when a hook ${how}, names the plugin for the log only, and asks nobody else`, async () => {
        let asked = false
        on('publish', hook)
        on('publish', () => void (asked = true))
        const error = await denial()
        expect(error.message).to.equal('unauthorized')
        expect(error.cause).to.have.property('message').that.includes("'alpha'")
        expect(error.cause).to.have.nested.property('cause.message', 'no')
        expect(asked).to.equal(false)
      })
    }

    for (const [what, fail] of [
      ['a TypeError', () => Reflect.get(undefined as never, 'name')],
      ['a RangeError', () => 'x'.repeat(-1)],
      ['an AssertionError', () => assert.equal(1, 2)],
      ['a SyntaxError', () => JSON.parse('{')],
    ] as const) {
      it(`logs ${what} of a hook as the plugin's failure, with its stack, and denies`, async () => {
        on('publish', fail as () => void)
        await denial()
        expect(logged.lines).to.have.length(1)
        const [line] = logged.lines as readonly Record<string, unknown>[]
        expect(line).to.include({ level: 50, plugin: 'alpha', msg: 'publish hook failed', stream: 'live/test' })
        expect(line?.['reason']).to.be.a('string').that.is.not.empty
        expect(String(line?.['stack'])).to.include('hook-runner.test.ts')
      })
    }

    it('logs no values of the query with a failure', async () => {
      const request = { ...REQUEST, query: 'token=s3cretvalue', params: { token: 's3cretvalue' } }
      on('publish', ({ params }) => {
        throw new TypeError(`${params['token']} is not a function`)
      })
      await runner.admit('publish', request as SessionRequest).catch(() => {})
      expect(logged.text()).to.include('is not a function').and.not.include('s3cretvalue')
    })

    it('logs a hook that never settles as the failure of its plugin, and a refusal not at all', async () => {
      on('subscribe', never)
      on('publish', () => Promise.reject(new Error('not here')))
      await denial()
      expect(logged.lines).to.eql([])
      await runner.admit('subscribe', REQUEST).catch(() => {})
      expect(logged.lines).to.have.length(1)
      expect(logged.lines[0]).to.include({ plugin: 'alpha', msg: 'subscribe hook failed' })
    })

    for (const error of [new StreamExists(), new StreamUnavailable('full'), new SluiceError('MINE', 402, 'pay')]) {
      it(`refuses with a ${error.name} as it is`, async () => {
        on('publish', () => {
          throw error
        })
        expect(await runner.admit('publish', REQUEST).catch((thrown: unknown) => thrown)).to.equal(error)
      })
    }

    it("names the plugin in the cause of a hook's own StreamDenied", async () => {
      on('publish', () => {
        throw new StreamDenied('not today')
      })
      const error = await denial()
      expect(error.cause).to.have.property('message').that.includes("'alpha'")
      expect(error.cause).to.have.nested.property('cause.cause.message', 'not today')
    })

    it('denies when a hook never settles', async () => {
      on('publish', never)
      expect(await denial())
        .to.have.nested.property('cause.cause.message')
        .that.includes('30 ms')
    })

    it('knows publish and subscribe apart', async () => {
      on('publish', () => {
        throw new Error('no')
      })
      await runner.admit('subscribe', REQUEST)
    })
  })

  describe('undo', () => {
    it('takes back what hooks have done, the latest first, once', async () => {
      const undone: string[] = []
      on('publish', () => () => void undone.push('first'))
      on('publish', async () => () => void undone.push('second'))
      on('publish', () => {})
      const undo = await runner.admit('publish', REQUEST)
      expect(undone).to.eql([])
      undo()
      undo()
      expect(undone).to.eql(['second', 'first'])
    })

    it('is called at once when a later hook refuses, and not for one that refused', async () => {
      const undone: string[] = []
      on('publish', () => () => void undone.push('claim'))
      on('publish', () => Promise.reject(new StreamExists()))
      on('publish', () => () => void undone.push('never asked'))
      expect(await runner.admit('publish', REQUEST).catch((error: unknown) => error)).to.be.instanceOf(StreamExists)
      expect(undone).to.eql(['claim'])
    })

    it('of a hook that is late is called when it comes', async () => {
      const { promise, resolve } = Promise.withResolvers<() => void>()
      on('publish', () => promise)
      await denial()
      const undone = new Promise<void>((done) => resolve(done))
      await undone
    })

    it('that throws is logged as its plugin, and the others are undone', async () => {
      let undone = false
      on('publish', () => () => void (undone = true))
      on('publish', () => () => {
        throw new Error('lost')
      })
      const undo = await runner.admit('publish', REQUEST)
      undo()
      expect(undone).to.equal(true)
      expect(logged.lines[0]).to.include({ plugin: 'alpha', msg: 'undo of the publish hook failed' })
    })
  })

  describe('order', () => {
    let asked: string[]
    beforeEach(() => void (asked = []))

    function tap(plugin: string, label: string, order?: HookOrder): () => void {
      return on('publish', () => void asked.push(label), { ...owner, plugin }, order)
    }

    for (const [what, taps, expected] of [
      [
        'by stages',
        [
          ['a', 'late', { stage: 10 }],
          ['b', 'usual'],
          ['c', 'early', { stage: -1 }],
        ],
        'early usual late',
      ],
      [
        'before a plugin',
        [
          ['a', 'one'],
          ['b', 'two'],
          ['c', 'three', { before: 'b' }],
        ],
        'one three two',
      ],
      [
        'before all of a plugin',
        [
          ['a', 'one'],
          ['b', 'two'],
          ['a', 'more'],
          ['c', 'x', { before: 'a' }],
        ],
        'x one two more',
      ],
      [
        'before a plugin that comes later',
        [
          ['c', 'x', { before: 'b' }],
          ['a', 'one'],
          ['b', 'two'],
        ],
        'one x two',
      ],
      [
        'before a plugin with a lower stage',
        [
          ['c', 'x', { before: 'b' }],
          ['b', 'low', { stage: -5 }],
        ],
        'x low',
      ],
      [
        'before a plugin that is not there, as if nothing was said',
        [
          ['a', 'one'],
          ['c', 'x', { before: 'b' }],
        ],
        'one x',
      ],
    ] as const satisfies readonly (readonly [string, readonly Parameters<typeof tap>[], string])[]) {
      it(`is ${what}`, async () => {
        for (const args of taps) tap(...(args as Parameters<typeof tap>))
        await runner.admit('publish', REQUEST)
        expect(asked.join(' ')).to.equal(expected)
      })
    }

    it('stays when a tap is undone', async () => {
      tap('a', 'one')
      const untap = tap('b', 'two')
      tap('c', 'x', { before: 'b' })
      tap('d', 'early', { stage: -1 })
      await runner.admit('publish', REQUEST)
      untap()
      await runner.admit('publish', REQUEST)
      expect(asked.join(' ')).to.equal('early one x two early one x')
    })
  })

  describe('resolve', () => {
    it('is false when nobody taps', async () => {
      expect(await runner.resolve(REQUEST)).to.equal(false)
    })

    it('stops at the first who will publish', async () => {
      const asked: number[] = []
      for (const [index, answer] of [false, true, true].entries()) {
        on('resolve', async () => {
          asked.push(index)
          return answer
        })
      }
      expect(await runner.resolve(REQUEST)).to.equal(true)
      expect(asked).to.deep.equal([0, 1])
    })

    for (const answer of [
      { streamPath: 'live/other' },
      { redirect: 'https://example.com/live/test.flv' },
      { withinMs: 30_000 },
    ]) {
      it(`stops at the first who says ${Object.keys(answer).join()}`, async () => {
        on('resolve', () => answer)
        on('resolve', () => true)
        expect(await runner.resolve(REQUEST)).to.eql(answer)
      })
    }

    it('has nobody wait longer than a minute', async () => {
      on('resolve', () => ({ withinMs: 86_400_000 }))
      expect(await runner.resolve(REQUEST)).to.eql({ withinMs: 60_000 })
    })

    it('takes the path that was asked for as a promise to publish it', async () => {
      on('resolve', ({ streamPath }) => ({ streamPath }))
      expect(await runner.resolve(REQUEST)).to.equal(true)
    })

    for (const answer of [
      { redirect: 'javascript:alert(1)' },
      { redirect: 'file:///etc/passwd' },
      { redirect: '/live/other' },
      { streamPath: '../up' },
      { withinMs: Number.NaN },
      {},
    ]) {
      it(`logs ${JSON.stringify(answer)} as its plugin's failure, and asks the next`, async () => {
        on('resolve', () => answer as Resolution)
        on('resolve', () => true)
        expect(await runner.resolve(REQUEST)).to.equal(true)
        expect(logged.lines[0]).to.include({ plugin: 'alpha', msg: 'resolve hook failed' })
      })
    }

    it('passes over hooks that throw or never settle, and logs them', async () => {
      on('resolve', () => {
        throw new Error('broken')
      })
      on('resolve', never)
      on('resolve', () => true)
      expect(await runner.resolve(REQUEST)).to.equal(true)
      expect(logged.lines.map(({ plugin, msg }) => [plugin, msg])).to.deep.equal([
        ['alpha', 'resolve hook failed'],
        ['alpha', 'resolve hook failed'],
      ])
    })
  })

  describe('lead', () => {
    const lead = () => runner.lead(REQUEST)

    it('hands the request on as it is led so far, by stages', () => {
      const asked: string[] = []
      const tap = (streamPath: string | undefined, stage: number) =>
        on(
          'lead',
          (request) => {
            asked.push(request.streamPath)
            return streamPath === undefined ? undefined : { streamPath, params: { at: String(stage) } }
          },
          owner,
          { stage },
        )
      tap('live/last', 10)
      tap(undefined, 5)
      tap('live/first', 0)
      expect(lead()).to.eql({ streamPath: 'live/last', params: { at: '10' } })
      expect(asked).to.eql(['live/test', 'live/first', 'live/first'])
    })

    it('refuses a request by the error of its own that a hook throws', () => {
      on('lead', () => {
        throw new InvalidRequest('the time is none')
      })
      expect(lead).to.throw(InvalidRequest, 'the time is none')
      expect(logged.lines).to.eql([])
    })

    it('passes over hooks that fail, or answer with something else, and logs them', () => {
      on('lead', () => {
        throw new TypeError('a mistake')
      })
      on('lead', () => ({ streamPath: '../live', params: {} }))
      on('lead', () => 'live/other' as never)
      expect(lead()).to.equal(undefined)
      expect(logged.lines).to.have.length(3)
    })
  })

  describe('notices', () => {
    it('tells all, in the same turn, with all arguments', () => {
      const told: unknown[] = []
      on('unpublished', (...args) => void told.push(args))
      on('unpublished', (...args) => void told.push(args))
      runner.notify('unpublished', STREAM, CLIENT_LEFT)
      expect(told).to.deep.equal([
        [STREAM, CLIENT_LEFT],
        [STREAM, CLIENT_LEFT],
      ])
    })

    it('logs what a hook throws or rejects with, with its plugin, and tells the others', async () => {
      let told = false
      on('published', () => {
        throw new Error('thrown')
      })
      on('published', () => Promise.reject(new Error('rejected')))
      on('published', () => void (told = true))
      runner.notify('published', STREAM)
      expect(told).to.equal(true)
      await until('both are logged', () => logged.lines.length === 2)
      expect(logged.text()).to.include('thrown').and.include('rejected')
      expect(logged.lines.every(({ plugin }) => plugin === 'alpha')).to.equal(true)
    })

    it('makes the notice of what has ended for those alone who tap it', () => {
      let made = 0
      const ended = { kind: 'task', owner: 'live/a' } as EndedTask
      const make = () => {
        made += 1
        return ended
      }
      runner.notifyEnded(make)
      expect(made).to.equal(0)
      const told: EndedTask[] = []
      on('ended', (notice) => void told.push(notice))
      on('ended', (notice) => void told.push(notice))
      runner.notifyEnded(make)
      expect([made, told]).to.eql([1, [ended, ended]])
    })

    it('lets a hook untap itself while it runs', () => {
      const told: string[] = []
      const untap = on('published', () => {
        untap()
        told.push('once')
      })
      on('published', () => void told.push('always'))
      runner.notify('published', STREAM)
      runner.notify('published', STREAM)
      expect(told).to.deep.equal(['once', 'always', 'always'])
    })
  })

  it('forgets one tap by its undo, and all of an owner, but not those of another generation', () => {
    const other: HookOwner = { ...owner }
    const untap = on('published', () => {})
    on('track', () => {})
    on('track', () => {}, other)
    untap()
    expect(runner.isTapped('published')).to.equal(false)
    runner.removeOwner(owner)
    expect(runner.isTapped('track')).to.equal(true)
    runner.removeOwner(other)
    expect(runner.isTapped('track')).to.equal(false)
  })
})
