import { expect } from 'chai'
import type { CloseReason } from 'sluice/sdk'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'
import { labelOf } from './text-format.ts'

async function publish(ctx: Context) {
  const publisher = await ctx.streams.publish(sessionInit('live/test'))
  const script = new ScriptedPublisher(publisher, { audio: false })
  publisher.tracksComplete()
  return { publisher, script }
}

export function describeReading(start: StartContractHost): void {
  describe('a unit reader', () => {
    it('that takes its time gets one call after the other, while the publisher goes on', async () => {
      const { ctx } = await start()
      const { publisher, script } = await publish(ctx)
      const taken: string[] = []
      const work = Promise.withResolvers<void>()
      const subscriber = await ctx.streams.subscribe(sessionInit('live/test'))
      subscriber.read({
        unit: async ({ data }) => {
          taken.push(labelOf(data))
          await work.promise
        },
        sourceEnded: () => void taken.push('ended'),
      })
      script.write(3)
      publisher.close()
      expect(taken).to.eql(['video 0'])
      work.resolve()
      await waitFor(() => taken.length === 4, { what: 'what waited' })
      expect(taken).to.eql(['video 0', 'video 1', 'video 2', 'ended'])
    })

    it('that rejects ends its subscriber', async () => {
      const { ctx } = await start()
      const { script } = await publish(ctx)
      const subscriber = await ctx.streams.subscribe(sessionInit('live/test'))
      subscriber.read({ unit: () => Promise.reject(new Error('no')) })
      script.write(1)
      const { code } = await new Promise<CloseReason>((resolve) => subscriber.onClose(resolve))
      expect(code).to.equal('failed')
    })
  })
}
