import { expect } from 'chai'
import { StreamNotFound } from 'sluice/sdk'
import { CollectingSink, ScriptedPublisher, ScriptedSubscriber, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'
import { labelOf, TEXT_FORMAT } from './text-format.ts'

/** Publishes scripted video. */
async function publish(ctx: Context, streamPath: string) {
  const publisher = await ctx.streams.publish(sessionInit(streamPath))
  const script = new ScriptedPublisher(publisher, { audio: false, gopFrames: 4 })
  publisher.tracksComplete()
  script.write(2)
  return { publisher, script }
}

export function describeMoving(start: StartContractHost): void {
  describe('a subscriber that is moved', () => {
    it('goes at the next keyframe of the other stream, is told, and has the tracks announced anew', async () => {
      const { ctx } = await start()
      const [one, other] = [await publish(ctx, 'live/one'), await publish(ctx, 'live/other')]
      const viewer = await ctx.streams.subscribe(sessionInit('live/one'))
      const sink = new CollectingSink()
      viewer.attach(TEXT_FORMAT, sink)
      await waitFor(() => sink.bytes.includes('video 1'), { what: 'what was there' })
      const told: string[] = []
      viewer.onSource((sourcePath) => told.push(sourcePath))
      ctx.streams.move([viewer.id], 'live/other')
      one.script.write(1)
      other.script.write(1)
      expect([told, viewer.sourcePath]).to.eql([[], 'live/one'])
      other.script.write(3)
      expect([told, viewer.sourcePath, viewer.streamPath]).to.eql([['live/other'], 'live/other', 'live/one'])
      expect(ctx.streams.subscribers('live/other')).to.have.length(1)
      expect(ctx.streams.subscribers()[0]).to.include({ streamPath: 'live/one', sourcePath: 'live/other' })
      await waitFor(() => sink.bytes.includes('video 5'), { what: 'the other stream' })
      expect(sink.bytes.toString().trimEnd().split('\n')).to.eql([
        'start h264 {}',
        'h264 key video 0',
        'h264 video 1',
        'h264 video 2',
        'configure h264',
        'h264 key video 4',
        'h264 video 5',
      ])
    })

    it('goes at once when its publisher ends, and takes its reader along', async () => {
      const { ctx } = await start()
      const [one, other] = [await publish(ctx, 'live/one'), await publish(ctx, 'live/other')]
      const viewer = await ctx.streams.subscribe(sessionInit('live/one'))
      const reader = new ScriptedSubscriber(viewer)
      ctx.streams.move([viewer.id], 'live/other')
      one.publisher.close()
      expect(viewer.sourcePath).to.equal('live/other')
      other.script.write(4)
      await waitFor(() => reader.units.length >= 4, { what: 'the other stream' })
      expect(reader.tracks).to.have.length(2)
      expect(reader.units.map(({ data }) => labelOf(data))).to.eql(['video 0', 'video 1', 'video 4', 'video 5'])
      expect(reader.closeReason).to.equal(undefined)
    })

    it('stays where it is when nobody publishes the path', async () => {
      const { ctx } = await start()
      await publish(ctx, 'live/one')
      const viewer = await ctx.streams.subscribe(sessionInit('live/one'))
      expect(() => ctx.streams.move([viewer.id], 'live/none')).to.throw(StreamNotFound)
      expect(viewer.sourcePath).to.equal('live/one')
    })
  })

  describe('subscribers that are ended by their ids', () => {
    it('are those, whether they watch or wait, with the reason', async () => {
      const { ctx } = await start()
      await publish(ctx, 'live/one')
      const [one, other] = [
        await ctx.streams.subscribe(sessionInit('live/one')),
        await ctx.streams.subscribe(sessionInit('live/one')),
      ]
      const reasons: string[] = []
      for (const viewer of [one, other]) viewer.onClose(({ code, text }) => reasons.push(`${code}: ${text}`))
      ctx.streams.end([one.id, one.id, 0xffff_fff0], { code: 'stopped', text: 'enough' })
      expect(reasons).to.eql(['stopped: enough'])
      expect(ctx.streams.subscribers('live/one').map(({ id }) => id)).to.eql([other.id])
      const waiting = ctx.streams.subscribe(sessionInit('live/none')).catch((error: unknown) => error)
      await waitFor(() => ctx.streams.subscribers('live/none').length === 1, { what: 'the one who waits' })
      const ids = ctx.streams.subscribers('live/none').map(({ id }) => id)
      ctx.streams.end(ids, { code: 'timeout', text: 'it can not come' })
      expect(await waiting).to.be.instanceOf(Error)
    })
  })
}
