import { expect } from 'chai'
import { AccessUnit, StreamDenied, StreamExists, StreamNotFound, Unsupported, type SourceControl } from 'sluice/sdk'
import { CollectingSink, SCRIPTED_AUDIO, ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { StartContractHost } from './contract-host.ts'
import { labelOf, TEXT_FORMAT } from './text-format.ts'

const PATH = 'live/test'
const SCRIPT = { audio: false, gopFrames: 4 }

export function describeSource(start: StartContractHost): void {
  describe('the source', () => {
    it('is gone on from at a keyframe after a discontinuity, of which readers are told', async () => {
      const { ctx } = await start()
      const publisher = await ctx.streams.publish(sessionInit(PATH))
      const script = new ScriptedPublisher(publisher, SCRIPT)
      publisher.tracksComplete()
      script.write(2)
      const sink = new CollectingSink()
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.attach(TEXT_FORMAT, sink)
      const told: string[] = []
      const reader = await ctx.streams.subscribe(sessionInit(PATH))
      reader.read({ unit: ({ data }) => void told.push(labelOf(data)), discontinuity: () => void told.push('break') })
      await waitFor(() => sink.bytes.includes('video 1'), { what: 'what was there' })
      publisher.discontinuity()
      script.write(4)
      await waitFor(() => sink.bytes.includes('video 5'), { what: 'what came after' })
      const units = ['video 0', 'video 1', 'video 4', 'video 5']
      expect(sink.bytes.toString().match(/video \d/gu)).to.eql(units)
      expect(told).to.eql([...units.slice(0, 2), 'break', ...units.slice(2)])
    })

    it('that has yet to connect has its path, and is seen from its first sign of life on', async () => {
      const { ctx } = await start()
      const told: string[] = []
      ctx.hooks.on('published', ({ path }) => void told.push(`published ${path}`))
      ctx.hooks.on('unpublished', ({ path }) => void told.push(`unpublished ${path}`))
      const options = { connecting: true } as const
      const given = await ctx.streams.publish(sessionInit(PATH), options)
      expect([ctx.streams.list(), ctx.streams.get(PATH)]).to.eql([[], undefined])
      expect(await ctx.streams.publish(sessionInit(PATH)).catch((error: unknown) => error)).to.be.instanceOf(
        StreamExists,
      )
      given.close()
      given.alive()
      const publisher = await ctx.streams.publish(sessionInit(PATH), options)
      publisher.alive(1000)
      expect(ctx.streams.list().map(({ path }) => path)).to.eql([PATH])
      await waitFor(() => told.length > 0, { what: 'the hook' })
      expect(told).to.eql([`published ${PATH}`])
    })

    it('is asked for a keyframe by anybody, and commanded by the viewers of a stream of their own', async () => {
      const { ctx } = await start()
      const told: string[] = []
      const control: SourceControl = {
        position: () => ({ atMs: 1, fromMs: 0, toMs: 9 }),
        pause: () => void told.push('pause'),
        seek: async (positionMs) => void told.push(`seek ${positionMs}`),
        requestKeyframe: ({ codec }) => void told.push(`keyframe of ${codec}`),
      }
      const shared = await ctx.streams.publish(sessionInit(PATH), { control, config: { keyframeinterval: 0 } })
      new ScriptedPublisher(shared, SCRIPT).write(1)
      const viewer = await ctx.streams.subscribe(sessionInit(PATH))
      viewer.requestKeyframe()
      expect(viewer.control).to.equal(undefined)

      const own = await ctx.streams.publish(sessionInit('vod_1/a'), { control, personal: true })
      new ScriptedPublisher(own, SCRIPT).write(1)
      const owner = await ctx.streams.subscribe(sessionInit('vod_1/a'))
      await owner.control?.pause?.()
      await owner.control?.seek?.(5)
      expect(owner.control).to.not.have.property('setSpeed')
      expect(owner.control?.position?.()).to.eql({ atMs: 1, fromMs: 0, toMs: 9 })
      expect(told).to.eql(['keyframe of h264', 'pause', 'seek 5'])
    })

    it("of a stream of its viewer's own ends with the viewer, and the viewer with it", async () => {
      const { ctx } = await start()
      const told: string[] = []
      for (const [path, leaves] of [
        ['vod_1/a', 'viewer'],
        ['vod_2/a', 'source'],
      ] as const) {
        const publisher = await ctx.streams.publish(sessionInit(path), { personal: true })
        new ScriptedPublisher(publisher, SCRIPT).write(1)
        const viewer = await ctx.streams.subscribe(sessionInit(path))
        publisher.onClose(({ code }) => told.push(`source: ${code}`))
        viewer.onClose(({ code }) => told.push(`viewer: ${code}`))
        ;(leaves === 'viewer' ? viewer : publisher).close({ code: 'left', text: 'gone' })
        expect(ctx.streams.get(path)).to.equal(undefined)
      }
      expect(told.toSorted()).to.eql(['source: idle', 'source: left', 'viewer: left', 'viewer: left'])
    })

    it('is talked to by one at a time, whom a hook lets, until either side ends it', async () => {
      const { ctx } = await start()
      const heard: string[] = []
      const ends: (() => void)[] = []
      const talk: SourceControl['talk'] = async ([track]) => {
        const listeners: (() => void)[] = []
        const close = () => {
          for (const listener of listeners.splice(0)) listener()
        }
        ends.push(close)
        heard.push(`opened for ${track?.codec}`)
        return {
          addTrack: (init) => ({ ...init, id: 0 }),
          configureTrack: (one) => one,
          removeTrack: () => {},
          write: ({ data }) => void heard.push(data.toString()),
          lost: () => {},
          onClose: (listener) => void listeners.push(listener),
          close,
        }
      }
      const publisher = await ctx.streams.publish(sessionInit(PATH), { control: { talk } })
      new ScriptedPublisher(publisher, SCRIPT).write(1)
      const mute = await ctx.streams.publish(sessionInit('live/mute'))
      const ask = (path = PATH) => ctx.streams.talk(sessionInit(path), [SCRIPTED_AUDIO])
      const refusal = async (path?: string) => ask(path).catch((error: unknown) => error)
      expect(await refusal()).to.be.instanceOf(StreamDenied)
      ctx.hooks.on('talk', ({ streamPath }) => {
        if (streamPath === 'live/secret') throw new Error('not that one')
      })
      expect(await refusal('live/secret')).to.be.instanceOf(StreamDenied)
      expect(await refusal('live/none')).to.be.instanceOf(StreamNotFound)
      expect(await refusal(mute.streamPath)).to.be.instanceOf(Unsupported)

      const first = await ask()
      const track = first.addTrack(SCRIPTED_AUDIO)
      first.write(AccessUnit.fromData(track, 0, 0, true, Buffer.from('hello')))
      expect(await refusal()).to.be.instanceOf(StreamExists)
      first.close()
      const second = await ask()
      let ended = 0
      second.onClose(() => ended++)
      ends[1]?.()
      expect(ended).to.equal(1)
      const third = await ask()
      third.onClose(() => ended++)
      publisher.close()
      expect(ended).to.equal(2)
      expect(await refusal()).to.be.instanceOf(StreamNotFound)
      expect(heard).to.eql(['opened for aac', 'hello', 'opened for aac', 'opened for aac'])
    })
  })
}
