import { expect } from 'chai'
import { StreamNotFound } from 'sluice/sdk'
import { ScriptedPublisher, ScriptedSubscriber, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'
import { labelOf } from './text-format.ts'

async function publish(ctx: Context, streamPath: string): Promise<ScriptedPublisher> {
  const publisher = await ctx.streams.publish(sessionInit(streamPath))
  const script = new ScriptedPublisher(publisher, { audio: false, gopFrames: 4 })
  publisher.tracksComplete()
  script.write(2)
  return script
}

export function describeLeading(start: StartContractHost): void {
  describe('a subscriber that is led', () => {
    it('gets the stream that the lead hooks name, one after another, and keeps the path that it asked for', async () => {
      const { ctx } = await start(({ hooks }) => {
        hooks.on('lead', ({ streamPath, params }) => ({ streamPath: `${streamPath}/b`, params }), { stage: 10 })
        hooks.on('lead', ({ streamPath, params }) => {
          return streamPath === 'ask' ? { streamPath: 'live/a', params: { ...params, more: '1' } } : undefined
        })
      })
      await publish(ctx, 'live/a/b')
      const subscriber = await ctx.streams.subscribe(sessionInit('ask', { query: 'x=1' }))
      expect(subscriber).to.include({ streamPath: 'ask', sourcePath: 'live/a/b' })
      const [info] = ctx.streams.subscribers()
      expect(info).to.include({ streamPath: 'ask', sourcePath: 'live/a/b', follows: false })
      expect(info?.params).to.eql({ x: '1', more: '1' })
    })

    it('is left where it is without an answer', async () => {
      const { ctx } = await start(({ hooks }) => void hooks.on('lead', () => undefined))
      await publish(ctx, 'live/a')
      expect(await ctx.streams.subscribe(sessionInit('live/a'))).to.include({ sourcePath: 'live/a' })
    })
  })

  describe('subscribers that are sent elsewhere', () => {
    it('wait for the other stream, and get it', async () => {
      const { ctx } = await start(undefined, { subscribe: { waittimeout: '20s' } })
      const waiting = ctx.streams.subscribe(sessionInit('live/none'))
      await waitFor(() => ctx.streams.subscribers('live/none').length === 1, { what: 'the one who waits' })
      ctx.streams.send(
        ctx.streams.subscribers().map(({ id }) => id),
        'live/later',
      )
      const script = await publish(ctx, 'live/later')
      const subscriber = await waiting
      expect(subscriber).to.include({ streamPath: 'live/none', sourcePath: 'live/later' })
      const reader = new ScriptedSubscriber(subscriber)
      script.write(1)
      await waitFor(() => reader.units.length === 3, { what: 'its units' })
      expect(reader.units.map(({ data }) => labelOf(data))).to.eql(['video 0', 'video 1', 'video 2'])
    })
  })

  describe('a subscriber with terms of its own', () => {
    it('waits as long as these say', async () => {
      const { ctx } = await start(undefined, { subscribe: { waittimeout: '1h' } })
      const waiting = ctx.streams.subscribe(sessionInit('live/none'), { config: { waittimeout: 20 } })
      expect(await waiting.catch((error: unknown) => error)).to.be.instanceOf(StreamNotFound)
    })

    it('has what else the section says', async () => {
      const { ctx } = await start(undefined, { subscribe: { queuetime: '7s' } })
      await publish(ctx, 'live/a')
      const subscriber = await ctx.streams.subscribe(sessionInit('live/a'), { config: { buffertime: 3000 } })
      expect(subscriber.config).to.include({ queuetime: 7000, buffertime: 3000 })
    })
  })
}
