import { expect } from 'chai'
import {
  AccessUnit,
  InvalidRequest,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamUnavailable,
  type CloseCode,
  type CloseReason,
  type MuxerFormat,
  type Publisher,
  type SessionRequest,
  type Track,
} from 'sluice/sdk'
import { frameBinaryMessage } from 'sluice/sdk/http'
import {
  CollectingSink,
  SCRIPTED_AUDIO,
  SCRIPTED_VIDEO,
  ScriptedPublisher,
  ScriptedSubscriber,
  sessionInit,
} from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'
import { labelOf, strictTextFormat, TEXT_FORMAT } from './text-format.ts'

const PATH = 'live/test'
/** Takes data alone, and says which. */
const DATA_FORMAT: MuxerFormat = {
  name: 'data',
  data: true,
  carries: ({ kind }) => kind === 'data',
  createMuxer: () => ({
    start: ({ tracks }) => Buffer.from(`${tracks.map(({ codec }) => codec).join()};`),
    configure: () => null,
    mux: ({ data }) => data,
  }),
}

const SCRIPT = { audio: false, gopFrames: 4 }

/** Publishes scripted video. */
async function publish(ctx: Context): Promise<{ publisher: Publisher; script: ScriptedPublisher }> {
  const publisher = await ctx.streams.publish(sessionInit(PATH))
  publisher.setMetadata({ title: 'test' })
  const script = new ScriptedPublisher(publisher, SCRIPT)
  publisher.tracksComplete()
  return { publisher, script }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

export function describeSessions(start: StartContractHost): void {
  describe('admission', () => {
    it('asks the hooks with the whole request, in order, until one refuses', async () => {
      const asked: Partial<SessionRequest>[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on('publish', async (request) => void asked.push(request))
        hooks.on('publish', ({ params }) => {
          if (params['ticket'] !== 'yes') throw new Error('no ticket')
        })
        hooks.on('publish', ({ action }) => void asked.push({ action }))
      })
      const query = 'ticket=no&ticket=yes&x=a%20b'
      const refused = await failure(ctx.streams.publish(sessionInit('/live/test/', { query })))
      expect(refused).to.be.instanceOf(StreamDenied).with.property('message', 'unauthorized')
      expect(asked).to.have.length(1)
      expect(asked[0]).to.deep.include({ action: 'publish', protocol: 'contract', type: 'server', streamPath: PATH })
      expect(asked[0]).to.deep.include({ query, params: { ticket: 'no', x: 'a b' } })
      await ctx.streams.publish(sessionInit(PATH, { query: 'ticket=yes' }))
      expect(asked.map(({ action }) => action)).to.eql(['publish', 'publish', 'publish'])
    })

    it('asks other hooks for subscribers, and none that was taken back', async () => {
      const { ctx } = await start()
      const untap = ctx.hooks.on('subscribe', ({ action }) => {
        throw new Error(action)
      })
      await publish(ctx)
      const refused = await failure(ctx.streams.subscribe(sessionInit(PATH)))
      expect(refused).to.be.instanceOf(StreamDenied)
      untap()
      expect(await ctx.streams.subscribe(sessionInit(PATH))).to.have.property('streamPath', PATH)
    })

    it('refuses a second publisher, a path that is none, and a stream that does not come', async () => {
      const { ctx } = await start()
      await publish(ctx)
      expect(await failure(ctx.streams.publish(sessionInit(PATH)))).to.be.instanceOf(StreamExists)
      expect(await failure(ctx.streams.publish(sessionInit('/')))).to.be.instanceOf(InvalidRequest)
      expect(await failure(ctx.streams.subscribe(sessionInit('live/none')))).to.be.instanceOf(StreamNotFound)
      const left = new AbortController()
      const waiting = failure(ctx.streams.subscribe(sessionInit('live/none', { signal: left.signal })))
      left.abort()
      expect(await waiting).to.be.instanceOf(StreamUnavailable)
    })

    it('lets a player in who gets no stream, by the hooks of subscribers, until it ends', async () => {
      let undone = 0
      const { ctx } = await start(({ hooks }) => {
        hooks.on('subscribe', ({ params }) => {
          if (params['ticket'] !== 'yes') throw new Error('no ticket')
          return () => void undone++
        })
      })
      expect(await failure(ctx.streams.admit(sessionInit(PATH)))).to.be.instanceOf(StreamDenied)
      expect(await failure(ctx.streams.admit(sessionInit('/')))).to.be.instanceOf(InvalidRequest)
      const play = await ctx.streams.admit(sessionInit(`/${PATH}`, { query: 'ticket=yes' }))
      const reasons: string[] = []
      play.onClose(({ text }) => reasons.push(text))
      expect([play.streamPath, undone]).to.eql([PATH, 0])
      play.close('done')
      play.close('again')
      play.onClose(({ text }) => reasons.push(text))
      expect([reasons, undone]).to.eql([['done', 'done'], 1])
      expect(ctx.streams.list()).to.eql([])
    })

    it('lets a publisher have a config of its own', async () => {
      const { ctx } = await start()
      await ctx.streams.publish(sessionInit(PATH))
      const publisher = await ctx.streams.publish(sessionInit(PATH), { config: { kickexist: true, idletimeout: 5 } })
      expect(publisher.config).to.deep.equal({ ...ctx.config.publish, kickexist: true, idletimeout: 5 })
    })

    it('lets the newer publisher in where the config says so', async () => {
      const { ctx } = await start(undefined, { publish: { kickexist: true } })
      const { publisher } = await publish(ctx)
      let code: CloseCode | undefined
      publisher.onClose((reason) => (code = reason.code))
      await publish(ctx)
      expect(code).to.equal('kick')
    })
  })

  describe('a ticket', () => {
    it('lets one play its path as the server does, shows itself to nobody, and can be revoked', async () => {
      const asked: SessionRequest[] = []
      const { ctx } = await start(({ hooks }) => void hooks.on('subscribe', (request) => void asked.push(request)))
      await publish(ctx)
      const ticket = ctx.streams.ticket(PATH)
      const query = `a=1&${ticket.query}`
      const ask = () => ctx.streams.subscribe(sessionInit(PATH, { query, url: `test://host/${PATH}?${query}` }))
      const shown = () => asked.map((request) => [request.type, request.query, request.url, request.params['ticket']])
      await ask()
      expect(shown()).to.eql([['transform', 'a=1', `test://host/${PATH}?a=1`, undefined]])
      expect([PATH, 'live/b'].map((path) => ctx.streams.hasTicket(path, query))).to.eql([true, false])
      ticket.revoke()
      await ask()
      expect(asked[1]).to.deep.include({ type: 'server', query })
      expect(ctx.streams.hasTicket(PATH, query)).to.equal(false)
    })
  })

  describe('notices', () => {
    it('tell what happens to a stream, whatever those told before throw', async () => {
      const told: string[] = []
      const { ctx } = await start(({ hooks }) => {
        hooks.on('published', () => {
          throw new Error('broken')
        })
        hooks.on('published', ({ path, pluginName }) => void told.push(`published ${path} by ${pluginName}`))
        hooks.on('track', (_stream, track) => void told.push(`track ${track.codec}`))
        hooks.on('subscribed', ({ streamPath }) => void told.push(`subscribed ${streamPath}`))
        hooks.on('unsubscribed', (_subscriber, { text }) => void told.push(`unsubscribed: ${text}`))
        hooks.on('unpublished', (_stream, { text }) => void told.push(`unpublished: ${text}`))
      })
      const { publisher } = await publish(ctx)
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.close('seen enough')
      publisher.close('done')
      await waitFor(() => told.length === 5, { what: 'five notices' })
      expect(told).to.eql([
        `published ${PATH} by contract`,
        'track h264',
        `subscribed ${PATH}`,
        'unsubscribed: seen enough',
        'unpublished: done',
      ])
    })

    it('resolve may publish what is asked for', async () => {
      const { ctx } = await start((ctx) => {
        ctx.hooks.on('resolve', () => false)
        ctx.hooks.on('resolve', async ({ streamPath }) => {
          if (streamPath === PATH) await publish(ctx)
          return streamPath === PATH
        })
      })
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      expect(subscriber.tracks.map(({ codec }) => codec)).to.eql(['h264'])
    })
  })

  describe('streams', () => {
    it('are shown while they have a publisher', async () => {
      const { ctx } = await start()
      const { publisher } = await publish(ctx)
      const { id } = await ctx.streams.subscribe(sessionInit(PATH))
      expect(ctx.streams.get(PATH)).to.deep.include({ path: PATH, subscriberCount: 1, metadata: { title: 'test' } })
      expect(ctx.streams.list().map(({ path }) => path)).to.eql([PATH])
      const [shown] = ctx.streams.subscribers(PATH)
      expect(shown).to.include({ id, streamPath: PATH, pluginName: 'contract', remoteAddr: '192.0.2.1:40000' })
      publisher.close()
      expect([ctx.streams.get(PATH), ctx.streams.list()]).to.eql([undefined, []])
    })

    it('hand units to a reader from the newest keyframe on, tracks first', async () => {
      const { ctx } = await start()
      const { script } = await publish(ctx)
      script.write(6)
      const reader = new ScriptedSubscriber(await ctx.streams.subscribe(sessionInit(PATH)))
      script.write(3)
      await waitFor(() => reader.units.length >= 5, { what: 'five units' })
      expect(reader.tracks.map(({ codec }) => codec)).to.eql(['h264'])
      expect(reader.units.map(({ data }) => labelOf(data))).to.eql([4, 5, 6, 7, 8].map((index) => `video ${index}`))
    })

    it('send bytes to a sink: the start, then units, and the next publisher goes on where the first ended', async () => {
      const { ctx } = await start(undefined, { subscribe: { waittimeout: '5s' } })
      const { publisher, script } = await publish(ctx)
      script.write(2)
      const sink = new CollectingSink()
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.attach(TEXT_FORMAT, sink)
      const lines = () => sink.bytes.toString().trimEnd().split('\n')
      await waitFor(() => lines().length === 3, { what: 'what was there' })
      script.write(1)
      await waitFor(() => lines().length === 4, { what: 'what came' })
      publisher.close()
      const { script: next } = await publish(ctx)
      next.write(2)
      await waitFor(() => lines().length >= 6, { what: 'what the next publisher wrote' })
      expect(lines()).to.eql([
        'start h264 {"title":"test"}',
        'h264 key video 0',
        'h264 video 1',
        'h264 video 2',
        'h264 key video 0',
        'h264 video 1',
      ])
    })

    it('frame what leaves in one write as the sink says', async () => {
      const { ctx } = await start()
      const { script } = await publish(ctx)
      const sinks = [new CollectingSink(frameBinaryMessage), new CollectingSink()]
      for (const sink of sinks) (await ctx.streams.subscribe(sessionInit(PATH))).attach(TEXT_FORMAT, sink)
      script.write(1)
      await waitFor(() => sinks.every(({ bytes }) => bytes.includes('video 0')), { what: 'the first unit' })
      const [framed, bare] = sinks.map(({ writes }) => writes)
      expect(framed).to.eql(bare?.map(frameBinaryMessage))
    })

    it('start a muxer before they give it units, and again whenever there are other tracks', async () => {
      const { ctx } = await start(undefined, { subscribe: { waittimeout: '5s' } })
      const { publisher, script } = await publish(ctx)
      script.write(2)
      const sink = new CollectingSink()
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.attach(strictTextFormat(), sink)
      await waitFor(() => sink.bytes.includes('video 1'), { what: 'what was there' })
      const audio = publisher.addTrack(SCRIPTED_AUDIO)
      publisher.write(AccessUnit.fromData(audio, 8000, 8000, true, Buffer.from('audio 0')))
      await waitFor(() => sink.bytes.includes('audio 0'), { what: 'the unit of a track that came late' })
      publisher.close()
      const { script: next } = await publish(ctx)
      next.write(2)
      await waitFor(() => sink.bytes.toString().split('video 1').length === 3, {
        what: 'what the next publisher wrote',
      })
      expect(sink.bytes.toString().trimEnd().split('\n')).to.eql([
        'start h264 {"title":"test"}',
        'h264 key video 0',
        'h264 video 1',
        'configure aac, one of 2',
        'aac key audio 0',
        'h264 key video 0',
        'h264 video 1',
      ])
    })

    it('go on at a keyframe after units of video that were lost, and with other tracks at once', async () => {
      const { ctx } = await start()
      const publisher = await ctx.streams.publish(sessionInit(PATH))
      const [video, audio] = [publisher.addTrack(SCRIPTED_VIDEO), publisher.addTrack(SCRIPTED_AUDIO)]
      const reader = new ScriptedSubscriber(await ctx.streams.subscribe(sessionInit(PATH)))
      const write = (track: Track, dts: number, keyframe: boolean) =>
        publisher.write(AccessUnit.fromData(track, dts, dts, keyframe, Buffer.from([0, 0, 0, 1, 0x41])))
      write(video, 0, true)
      publisher.lost(video, 3)
      publisher.lost(audio, 1)
      write(video, 3600, false)
      write(audio, 1764, true)
      write(video, 7200, true)
      write(video, 10_800, false)
      expect(reader.units.map(({ track, keyframe }) => `${track.kind}${keyframe ? ' key' : ''}`)).to.eql([
        'video key',
        'audio key',
        'video key',
        'video',
      ])
    })

    it('give tracks of data to readers and formats that ask for them, and to no others', async () => {
      const { ctx } = await start()
      const publisher = await ctx.streams.publish(sessionInit(PATH))
      const video = publisher.addTrack(SCRIPTED_VIDEO)
      const data = publisher.addTrack({
        kind: 'data',
        codec: 'json',
        timescale: 1e3,
        language: 'en',
        config: {
          record: Buffer.alloc(0),
          codecString: '',
        },
      })
      publisher.tracksComplete()
      const asking = {
        got: [] as string[],
        data: true,
        unit: ({ track }: AccessUnit) => void asking.got.push(track.kind),
      }
      const [first, second, third, fourth] = await Promise.all(
        [1, 2, 3, 4].map(() => ctx.streams.subscribe(sessionInit(PATH))),
      )
      expect(first!.tracks).to.eql([video])
      first!.read(asking)
      const plain = new ScriptedSubscriber(second!)
      const sinks = [new CollectingSink(), new CollectingSink()] as const
      third!.attach(DATA_FORMAT, sinks[0])
      fourth!.attach(TEXT_FORMAT, sinks[1])
      publisher.write(AccessUnit.fromNalus(video, 0, 0, true, [Buffer.from([0x65])]))
      publisher.write(AccessUnit.fromData(data, 10, 10, true, Buffer.from('{"speed":3}')))
      await waitFor(() => sinks[0].bytes.includes('speed') && sinks[1].bytes.length > 0, { what: 'both formats' })
      expect(ctx.streams.get(PATH)?.tracks).to.eql([video, data])
      expect([first!.tracks, second!.tracks, third!.tracks]).to.eql([[video, data], [video], [video, data]])
      expect(asking.got).to.eql(['video', 'data'])
      expect(plain.units.map(({ track }) => track)).to.eql([video])
      expect(plain.tracks).to.eql([video])
      expect(sinks[0].bytes.toString()).to.equal('json;{"speed":3}')
      expect(sinks[1].bytes.includes('speed')).to.equal(false)
    })

    it('announce a configuration when it is another one, to readers and sinks', async () => {
      const { ctx } = await start()
      const { publisher, script } = await publish(ctx)
      script.write(1)
      const reader = new ScriptedSubscriber(await ctx.streams.subscribe(sessionInit(PATH)))
      const sink = new CollectingSink()
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.attach(TEXT_FORMAT, sink)
      await waitFor(() => sink.bytes.includes('video 0'), { what: 'the first unit' })
      const { videoTrack: track } = script
      if (track === undefined) throw new Error('no video')
      expect(publisher.configureTrack(track, { ...track.config })).to.equal(track)
      script.write(4)
      script.videoTrack = publisher.configureTrack(track, { ...track.config, width: 640 })
      expect([track.config.width, script.videoTrack.config.width, script.videoTrack.id]).to.eql([320, 640, track.id])
      script.write(4)
      await waitFor(() => sink.bytes.includes('video 8'), { what: 'the last unit' })
      const lines = sink.bytes.toString().split('\n')
      expect(lines.filter((line) => line.startsWith('configure'))).to.eql(['configure h264'])
      expect(reader.tracks).to.eql([track, script.videoTrack])
      // Each unit is of the track that it was written for; of one that was replaced, none is taken any more.
      publisher.write(AccessUnit.fromData(track, 90_000, 90_000, true, Buffer.from('of the old track')))
      expect(reader.units.map((unit) => reader.tracks.indexOf(unit.track))).to.eql([0, 0, 0, 0, 0, 1, 1, 1, 1])
    })

    it('take counts of what was sent besides, and details, of sessions that go on', async () => {
      const { ctx } = await start()
      const { publisher } = await publish(ctx)
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      publisher.details(() => ({ lossPercent: 0.5 }))
      subscriber.details(() => ({ rttMs: 40 }))
      subscriber.account({ bytes: 100 })
      subscriber.account({ dropped: 2 })
      for (const counts of [{ bytes: -1 }, { bytes: NaN }, { dropped: 0.5 }]) {
        expect(() => subscriber.account(counts)).to.throw(RangeError)
      }
      expect(ctx.streams.subscribers(PATH)).to.have.length(1)
    })

    it('send nothing to who has paused, and go on at a keyframe', async () => {
      const { ctx } = await start()
      const { script } = await publish(ctx)
      script.write(1)
      const sink = new CollectingSink()
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.attach(TEXT_FORMAT, sink)
      await waitFor(() => sink.bytes.includes('video 0'), { what: 'the first unit' })
      subscriber.pause()
      script.write(1)
      subscriber.resume()
      script.write(4)
      await waitFor(() => sink.bytes.includes('video 5'), { what: 'the last unit' })
      const sent = sink.bytes.toString().match(/video \d/gu)
      expect(sent).to.eql(['video 0', 'video 4', 'video 5'])
    })

    it('tell of their end once, at once when it was before, with the reason', async () => {
      const { ctx } = await start()
      const { publisher } = await publish(ctx)
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      for (const session of [subscriber, publisher]) {
        const told: string[] = []
        session.onClose(({ code, text }) => told.push(`${code} ${text}`))
        session.close({ code: 'left', text: 'first' })
        session.close('second')
        session.onClose(({ text }) => told.push(`late ${text}`))
        expect(told).to.eql(['left first', 'late first'])
      }
    })

    it('end who waits in vain for another publisher', async () => {
      const { ctx } = await start()
      const { publisher } = await publish(ctx)
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      publisher.close()
      const { code } = await new Promise<CloseReason>((resolve) => subscriber.onClose(resolve))
      expect(code).to.equal('timeout')
    })

    it('take one reader or sink of a subscriber, not two', async () => {
      const { ctx } = await start()
      await publish(ctx)
      const subscriber = await ctx.streams.subscribe(sessionInit(PATH))
      subscriber.attach(TEXT_FORMAT, new CollectingSink())
      expect(() => subscriber.read({ unit: () => {} })).to.throw(Error)
    })
  })
}
