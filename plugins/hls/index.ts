import { randomBytes } from 'node:crypto'
import { addRecordingOperations, addressTemplates, definePlugin, type StreamInfo } from 'sluice/sdk'
import { StallClock } from 'sluice/sdk/media'
import { Admission } from './sessions/admission.ts'
import { SegmentRules, HlsConfig } from './config.ts'
import { HlsStreams, type NumberMemory } from './hls-streams.ts'
import { addRecordOperations } from './record/record-operations.ts'
import { createFmp4Records, TS_RECORDS } from './record/record-service.ts'
import { Presentation } from './presentation/presentation.ts'
import { registerPull } from './pull/hls-pull.ts'
import { cacheScopeOf, Routes } from './http/routes.ts'
import { ListedSignature } from './vod/listed-signature.ts'
import { VodMedia } from './vod/vod-media.ts'
import { VodRoutes } from './vod/vod-routes.ts'
import { Sessions, type StoppedTokens, type SwitchedNumbers } from './sessions/sessions.ts'

/** Sessions, waiting requests and presentations are looked at this often. */
const TICK_MS = 500

export default definePlugin({
  name: 'hls',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as HLS (low-latency and plain fragmented MP4, MPEG-TS), pulls and records them',
  mounts: ['hls', 'llhls'],
  provides: ['pull:hls', 'record:hls', 'record:hlsv7'],
  protocol: { number: 5, endings: ['.m3u8'] },
  config: HlsConfig,
  // Recordings are pulled at their own pace.
  defaults: { publish: { speed: 1 } },
  live: ['format', 'mode', 'idletimeout', 'subscribe'],
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/hls/{streamPath}/index.m3u8', ['http']) }),
  setup(ctx) {
    registerPull(ctx)
    ctx.services.provide('record:hls', TS_RECORDS)
    ctx.services.provide('record:hlsv7', createFmp4Records(ctx.services))
    addRecordingOperations(ctx, 'hls')
    addRecordOperations(ctx)
    const { streams, log } = ctx
    // The time for which the process was held up does not count, as requests may have come that it has not read yet.
    const clock = new StallClock(performance.now(), 2 * TICK_MS)
    const nowMs = () => clock.at(performance.now())
    const hlsStreams = new HlsStreams({
      streams,
      log,
      nowMs,
      segmentRules: new SegmentRules(ctx.config),
      createPresentation: (options) =>
        new Presentation({
          ...options,
          id: ctx.sessionToken(),
          nowMs: Date.now,
        }),
      numbers: ctx.keep('numbers', (): NumberMemory => new Map()),
    })
    const stopped = ctx.keep('stopped', (): StoppedTokens => new Map())
    const switched = ctx.keep('switched', (): SwitchedNumbers => new Map())
    const createToken = () => ctx.sessionToken()
    const sessions = new Sessions({ log, nowMs, createToken, hlsStreams, stopped, switched })
    const admission = new Admission(ctx, hlsStreams, sessions)
    const caching = ctx.keep('caching', () => ({ scope: cacheScopeOf(ctx.config) }))
    caching.scope = cacheScopeOf(ctx.config)
    const routes = new Routes({ ctx, hlsStreams, sessions, admission, nowMs, caching })
    // Playlists stay good when the plugin is reloaded.
    const signature = new ListedSignature(ctx.keep('vodkey', () => randomBytes(32)))
    const vodRoutes = new VodRoutes({ ctx, signature, media: new VodMedia({ ctx, caching, signature }) })
    ctx.http.route({
      method: ['GET', 'HEAD'],
      url: '/*',
      config: { access: 'public' },
      handler: (request, reply) => vodRoutes.handle(request, reply) ?? routes.handle(request, reply),
    })

    let draining = false
    // A stream that was made of another for its players would be kept alive.
    const keep = ({ path, type }: StreamInfo) => {
      if (ctx.config.mode === 'always' && type !== 'transform') hlsStreams.keep(path, ctx.config.format)
    }
    const keepAll = () => {
      for (const stream of streams.list()) keep(stream)
    }
    ctx.hooks.on('published', keep)
    ctx.onConfig(() => {
      hlsStreams.letGo()
      keepAll()
    })
    keepAll()

    const timer = setInterval(() => {
      const now = clock.tick(performance.now())
      sessions.tick(now)
      hlsStreams.tick(now, draining ? 0 : ctx.config.idletimeout)
    }, TICK_MS)
    ctx.onDrain(() => {
      draining = true
      hlsStreams.letGo()
    })
    ctx.onDispose(() => {
      clearInterval(timer)
      sessions.dispose()
      hlsStreams.dispose()
    })
  },
})
