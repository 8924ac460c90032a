import { expect } from 'chai'
import {
  CLIENT_LEFT,
  SluiceError,
  StreamExists,
  StreamRedirect,
  untilAborted,
  type EndedTask,
  type StreamInfo,
} from 'sluice/sdk'
import { g711Config } from 'sluice/sdk/media'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'

const PATH = 'live/test'

declare module 'sluice/sdk' {
  interface Hooks {
    'contract:told'(text: string, count: number): void
    'contract:unheard'(): void
  }
}

async function publish({ streams }: Context, streamPath: string): Promise<void> {
  const publisher = await streams.publish(sessionInit(streamPath))
  void new ScriptedPublisher(publisher, { audio: false })
  publisher.tracksComplete()
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

export function describeHooks(start: StartContractHost): void {
  describe('hooks', () => {
    it('are asked by their stages', async () => {
      const asked: string[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on('publish', () => void asked.push('last'), { stage: 10 })
        hooks.on('publish', () => void asked.push('usual'))
        hooks.on('publish', () => void asked.push('first'), { stage: -10 })
      })
      await ctx.streams.publish(sessionInit(PATH))
      expect(asked).to.eql(['first', 'usual', 'last'])
    })

    it('give a player the stream that is adapted to it, and only one that needs it', async () => {
      const { ctx } = await start(({ hooks, streams }) => {
        hooks.on('adapt', async () => {
          if (streams.get('live/fitted') === undefined) {
            const publisher = await streams.publish(sessionInit('live/fitted', { type: 'transform' }))
            publisher.addTrack({ kind: 'audio', codec: 'pcma', timescale: 8000, config: g711Config('pcma', 8000, 1) })
            publisher.tracksComplete()
          }
          return 'live/fitted'
        })
      })
      void new ScriptedPublisher(await ctx.streams.publish(sessionInit(PATH)))
      const other = await ctx.streams.subscribe(sessionInit(PATH, { accepts: { audio: ['aac'] } }))
      const player = await ctx.streams.subscribe(sessionInit(PATH, { accepts: { audio: ['pcma'] } }))
      expect([other.sourcePath, player.sourcePath, player.streamPath]).to.eql([PATH, 'live/fitted', PATH])
      expect(player.tracks.map(({ codec }) => codec)).to.eql(['pcma'])
    })

    it('refuse with an error of the sdk as it is', async () => {
      const refusal = new SluiceError('NO_CREDIT', 402, 'no credit left')
      const { ctx } = await start(({ hooks }) => void hooks.on('publish', () => Promise.reject(refusal)))
      expect(await failure(ctx.streams.publish(sessionInit(PATH)))).to.equal(refusal)
    })

    it('have what they did undone, when the session ends or does not begin', async () => {
      const undone: string[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on(
          'publish',
          ({ query }) =>
            () =>
              void undone.push(`first ${query}`),
        )
        hooks.on('publish', async ({ query }) => {
          if (query === 'full') throw new Error('no room')
          return () => void undone.push(`second ${query}`)
        })
      })
      const publisher = await ctx.streams.publish(sessionInit(PATH, { query: 'a' }))
      expect(await failure(ctx.streams.publish(sessionInit(PATH, { query: 'b' })))).to.be.instanceOf(StreamExists)
      await failure(ctx.streams.publish(sessionInit('live/other', { query: 'full' })))
      expect(undone).to.eql(['second b', 'first b', 'first full'])
      publisher.close()
      publisher.close()
      expect(undone.slice(3)).to.eql(['second a', 'first a'])
    })

    it('send a session to another address, with its query where that has none', async () => {
      const { ctx } = await start(({ hooks }) => {
        hooks.on('subscribe', () => {
          throw new StreamRedirect('https://b.example/live/test.flv')
        })
        hooks.on('publish', () => Promise.reject(new StreamRedirect('rtmp://b.example/live/test?key=1')))
      })
      const session = sessionInit(PATH, { query: 'a=1' })
      expect(await failure(ctx.streams.subscribe(session)))
        .to.be.instanceOf(StreamRedirect)
        .with.property('url', 'https://b.example/live/test.flv?a=1')
      expect(await failure(ctx.streams.publish(session)))
        .to.be.instanceOf(StreamRedirect)
        .with.property('url', 'rtmp://b.example/live/test?key=1')
    })

    it('resolve a path to another', async () => {
      const { ctx } = await start(({ hooks }) => {
        hooks.on('resolve', ({ streamPath }) => streamPath === 'main/test' && { streamPath: PATH })
      })
      await publish(ctx, PATH)
      const subscriber = await ctx.streams.subscribe(sessionInit('main/test'))
      expect(subscriber.tracks.map(({ codec }) => codec)).to.eql(['h264'])
      expect(ctx.streams.get(PATH)).to.have.property('subscriberCount', 1)
      subscriber.close()
      expect(ctx.streams.get(PATH)).to.have.property('subscriberCount', 0)
    })

    it('resolve a path to an address', async () => {
      const { ctx } = await start(({ hooks }) => {
        hooks.on('resolve', () => ({ redirect: 'http://b.example/flv/live/test.flv' }))
      })
      expect(await failure(ctx.streams.subscribe(sessionInit(PATH, { query: 'a=1' }))))
        .to.be.instanceOf(StreamRedirect)
        .with.property('url', 'http://b.example/flv/live/test.flv?a=1')
    })

    it('resolve a path within a time of their own, past that of the config', async () => {
      const { ctx } = await start((ctx) => {
        ctx.hooks.on('resolve', () => {
          ctx.setTimeout(() => publish(ctx, PATH), 120)
          return { withinMs: 60_000 }
        })
      })
      expect(await ctx.streams.subscribe(sessionInit(PATH))).to.have.property('streamPath', PATH)
    })

    it('tell of tasks and alarms of plugins, as of those of the server', async () => {
      const told: unknown[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on('taskBegan', (...args) => void told.push(args))
        hooks.on('taskEnded', (...args) => void told.push(args))
        hooks.on('alarm', (...args) => void told.push(args))
      })
      const task = {
        kind: 'record',
        streamPath: PATH,
        plugin: 'contract',
        description: 'mp4',
        filePath: 'a.mp4',
      } as const
      const end = { reason: 'stopped', isRetried: false }
      const alarm = { name: 'disk_full', description: 'the disk is full', plugin: 'contract', type: 0x10014 }
      ctx.hooks.notify('taskBegan', task)
      ctx.hooks.notify('taskEnded', task, end)
      ctx.hooks.notify('alarm', alarm)
      expect(told).to.eql([[task], [task, end], [alarm]])
    })

    it('tell of what has ended in the task tree, with its texts as operators see them', async () => {
      const told: (EndedTask & { readonly texts: unknown })[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on('ended', (ended) => void told.push({ ...ended, texts: ended.description() }))
      })
      const beganMs = Date.now()
      const description = { url: 'rtmp://me:hush@host/a' }
      await ctx.tasks.start({ owner: 'over', description, run: async () => {} }).done
      await ctx.tasks.start({ owner: 'failed', run: () => Promise.reject(new Error('no rtmp://me:hush@host/a')) }).done
      const stopped = ctx.tasks.start({ owner: 'stopped', run: (signal) => untilAborted(signal) })
      stopped.stop('enough')
      await stopped.done
      const publisher = await ctx.streams.publish(sessionInit(PATH))
      void new ScriptedPublisher(publisher, { audio: false })
      publisher.tracksComplete()
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      const startTime = ctx.streams.get(PATH)?.startTime
      subscriber.close(CLIENT_LEFT)
      publisher.close('over')
      const session = { plugin: 'contract', type: 'server', remoteAddr: '192.0.2.1:40000' }
      expect(told.map(({ kind, owner, type, reason, texts }) => ({ kind, owner, type, reason, texts }))).to.eql([
        { kind: 'task', owner: 'over', type: 0, reason: 'done', texts: { url: 'rtmp://******@host/a' } },
        { kind: 'task', owner: 'failed', type: 0, reason: 'no rtmp://******@host/a', texts: {} },
        { kind: 'task', owner: 'stopped', type: 0, reason: 'enough', texts: {} },
        {
          kind: 'subscriber',
          owner: PATH,
          type: 0,
          reason: CLIENT_LEFT.text,
          texts: { kind: 'subscriber', ...session, sourcePath: PATH },
        },
        { kind: 'publisher', owner: PATH, type: 1, reason: 'over', texts: { kind: 'publisher', ...session } },
      ])
      expect(told[2]?.id).to.equal(stopped.id)
      expect(told[3]).to.include({ id: subscriber.id, parentId: publisher.id })
      expect(told[4]).to.include({ id: publisher.id, startTime })
      for (const { startTime, endTime } of told) {
        expect(startTime.getTime()).to.be.at.least(beganMs)
        expect(endTime.getTime()).to.be.within(startTime.getTime(), Date.now())
      }
    })

    it('tell notices of plugins, whose definition names them', async () => {
      const told: unknown[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on('contract:told', () => {
          throw new Error('deaf')
        })
        hooks.on('contract:told', (...args) => void told.push(args))
        hooks.on('contract:unheard', () => void told.push('never'))
        hooks.notify('contract:told', 'in setup', 1)
      })
      await waitFor(() => told.length === 1, { what: 'what was told in setup' })
      ctx.hooks.notify('contract:told', 'later', 2)
      expect(told).to.eql([
        ['in setup', 1],
        ['later', 2],
      ])
      expect(() => ctx.hooks.notify('contract:unheard')).to.throw(/notices/u)
      expect(() => ctx.hooks.notify('unpublished', {} as StreamInfo, { code: 'left', text: '' })).to.throw(/notices/u)
    })
  })
}
