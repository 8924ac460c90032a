import { addressTemplates, definePlugin } from 'sluice/sdk'
import { Admission } from './sessions/admission.ts'
import { AttendedClock } from './attended-clock.ts'
import { SegmentRules, HlsConfig } from './config.ts'
import { HlsStreams } from './hls-streams.ts'
import { Presentation } from './presentation/presentation.ts'
import { registerPull } from './pull/hls-pull.ts'
import { Routes } from './http/routes.ts'
import { Sessions } from './sessions/sessions.ts'

/** Sessions, waiting requests and presentations are looked at this often. */
const TICK_MS = 500

export default definePlugin({
  name: 'hls',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as HLS (low-latency and plain fragmented MP4, MPEG-TS), and pulls them',
  mounts: ['hls', 'llhls'],
  provides: ['pull:hls', 'hls:former'],
  config: HlsConfig,
  live: ['format', 'mode', 'idletimeout', 'subscribe'],
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/hls/{streamPath}/index.m3u8', ['http']) }),
  setup(ctx) {
    registerPull(ctx)
    const { streams, services, log } = ctx
    // The generation before is reached by `routes.former` alone, which forgets it once it has ended. A variable here would
    // be captured by the functions below, and keep all generations alive.
    const clock = new AttendedClock(performance.now())
    const nowMs = clock.now
    const hlsStreams = new HlsStreams({
      ...{ streams, log, nowMs },
      segmentRules: new SegmentRules(ctx.config),
      createPresentation: (options) => new Presentation({ ...options, nowMs: Date.now }),
      formerNumbers: (key) => routes.former?.nextNumbers(key),
      numbers: services.get('hls:former')?.numbers ?? new Map(),
    })
    const sessions = new Sessions(log, nowMs)
    const admission = new Admission(ctx, hlsStreams, sessions)
    const routes = new Routes({ ctx, hlsStreams, sessions, admission, nowMs }, services.get('hls:former'))
    services.provide('hls:former', routes)
    ctx.http.route({
      method: ['GET', 'HEAD'],
      url: '/*',
      handler: (request, reply) => routes.handle(request, reply),
    })

    let draining = false
    const keepAll = () => {
      if (ctx.config.mode === 'always') for (const { path } of streams.list()) hlsStreams.keep(path, ctx.config.format)
    }
    ctx.hooks.on('published', ({ path }) => {
      if (ctx.config.mode === 'always') hlsStreams.keep(path, ctx.config.format)
    })
    ctx.onConfig(() => {
      hlsStreams.letGo()
      keepAll()
    })
    keepAll()

    const timer = setInterval(() => {
      const now = clock.tick(performance.now())
      sessions.tick(now)
      hlsStreams.tick(now, draining ? 0 : ctx.config.idletimeout)
      routes.forgetEnded()
    }, TICK_MS)
    ctx.onDrain(() => {
      draining = true
      hlsStreams.letGo()
    })
    ctx.onDispose(() => {
      clearInterval(timer)
      routes.dispose()
      hlsStreams.dispose()
    })
  },
})
