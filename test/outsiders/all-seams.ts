import { once } from 'node:events'
import type { Socket } from 'node:net'
import {
  AccessUnit,
  definePlugin,
  sessionClient,
  socketSink,
  tcpConfig,
  Type,
  udpConfig,
  type MuxerFormat,
  type TrackInit,
} from 'sluice/sdk'

declare module 'sluice/sdk' {
  interface Services {
    'all-seams:ballast': readonly number[]
  }
  interface Hooks {
    /** The plugin has been set up. */
    rang(): void
  }
}

const TONE: TrackInit = {
  kind: 'audio',
  codec: 'pcma',
  timescale: 8000,
  config: { record: Buffer.alloc(0), sampleRate: 8000, channels: 1, codecString: '' },
}
const BEAT_MS = 20
const BEAT_SAMPLES = (TONE.timescale * BEAT_MS) / 1000
/** A generation that stays in memory shows: its code has so many numbers. */
const BALLAST_LENGTH = 100_000

/** A plugin that uses all it is given, and clears nothing up that the host does. */
export default definePlugin({
  name: 'all-seams',
  version: '1.0.0',
  provides: ['all-seams:ballast'],
  notices: ['rang'],
  live: ['greeting'],
  config: Type.Object({
    tcp: tcpConfig({ listenaddr: '127.0.0.1:0' }),
    udp: udpConfig({ listenaddr: '127.0.0.1:0' }),
    greeting: Type.String({ default: 'hello' }),
  }),
  async setup(ctx) {
    const ballast: readonly number[] = Array.from({ length: BALLAST_LENGTH }, (_, index) => index / 3)
    const { hooks, http, log, services, streams, tasks } = ctx
    const use = () => log.trace({ size: ballast.length }, ctx.config.greeting)

    // Nothing of these holds the generation.
    const generations = ctx.keep('generations', () => new Set<WeakRef<object>>())
    generations.add(new WeakRef(ctx))

    hooks.on('publish', use)
    // The function that undoes the hook for a session is held until the session has ended.
    hooks.on('subscribe', ({ type }) => (type === 'server' ? use : undefined), { stage: 1 })
    hooks.on('resolve', () => ballast.length === 0)
    for (const notice of ['published', 'unpublished', 'track', 'subscribed', 'unsubscribed', 'rang'] as const) {
      hooks.on(notice, use)
    }
    hooks.notify('rang')
    streams.setStreamAuthHandler(() => ballast.length > 0)
    services.provide('all-seams:ballast', ballast)
    ctx.metrics.counter({ name: 'setups_total', help: 'Setups' }).with().add()
    ctx.metrics.gauge({ name: 'ballast', help: 'Numbers', read: () => [{ value: ballast.length }] })
    ctx.onConfig(use)
    ctx.onDrain(use)
    ctx.onDispose(use)
    ctx.signal.addEventListener('abort', use)

    const sessions = new Map<string, readonly number[]>()
    http.addHook('onRequest', async () => use())
    http.post('/session', () => {
      const token = ctx.sessionToken()
      sessions.set(token, ballast)
      return token
    })
    http.get<{ Params: { token: string } }>('/session/:token', ({ params }) => sessions.get(params.token)?.length ?? 0)
    http.get('/alive', () => [...generations].filter((generation) => generation.deref() !== undefined).length)
    http.server.on('upgrade', (_request, socket) => {
      use()
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    })

    ctx.operations.add({
      method: 'POST',
      path: 'api/size',
      aliases: ['/api/all-seams/size'],
      summary: 'Size of the ballast, and some more',
      body: Type.Object({ more: Type.Integer() }),
      answer: Type.Integer(),
      handle: ({ body }) => ballast.length + body.more,
    })
    ctx.operations.socket({
      path: 'api/talk',
      summary: 'A WebSocket that nobody gets',
      open({ socket }) {
        use()
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      },
    })

    const format: MuxerFormat = {
      name: 'raw',
      createMuxer: () => ({
        start: () => Buffer.from(`${ballast.length}\n`),
        configure: () => null,
        mux: (unit) => unit.data,
      }),
    }
    const play = async (socket: Socket): Promise<void> => {
      const client = sessionClient(socket)
      const subscriber = await streams.subscribe({ streamPath: 'all-seams/tone', url: '', query: '', client })
      subscriber.onClose(() => socket.destroy())
      socket.once('close', () => subscriber.close('left'))
      subscriber.attach(format, socketSink(socket))
    }
    await ctx.net.tcp(ctx.config.tcp, (socket) => {
      socket.on('error', use)
      play(socket).catch(() => socket.destroy())
    })

    const listener = await ctx.net.udp(ctx.config.udp, (datagram, peer) => {
      // One more datagram, and the peer is unknown again.
      const flow = listener?.claim(peer, (more) => {
        flow?.send([more, Buffer.from(String(ballast.length))])
        flow?.close()
      })
      listener?.send([datagram], peer)
    })

    const client = { ip: '127.0.0.1', port: 0, userAgent: 'all-seams' }
    const session = { streamPath: 'all-seams/tone', type: 'vod', url: '', query: '', client } as const
    const publisher = await streams.publish(session, { config: { kickexist: true } })
    const tone = publisher.addTrack(TONE)
    publisher.tracksComplete()
    let beat = 0
    ctx.setInterval(() => {
      const dts = BEAT_SAMPLES * beat++
      if (tone !== undefined) publisher.write(AccessUnit.fromData(tone, dts, dts, true, Buffer.alloc(BEAT_SAMPLES)))
    }, BEAT_MS)
    ctx.setTimeout(use, 3_600_000)
    ctx.onDrain(() => publisher.close())

    const listening = tasks.start({
      owner: 'all-seams',
      run: async (signal) => {
        const subscriber = await streams.subscribe({ ...session, type: 'transform', signal })
        subscriber.read({ unit: use })
        await once(signal, 'abort')
        subscriber.close()
      },
    })
    // A session of its own would hold up the end of the generation.
    ctx.onDrain(() => listening.stop('replaced'))
  },
})
