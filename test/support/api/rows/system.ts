import { any, exactly, f, fields, i, list, map, optional, some, s, ts, U } from '../checks.ts'
import { bare, data, DONE, events, text, type Row } from '../row.ts'

const PLUGIN = fields({
  name: s,
  pushAddr: list(s),
  playAddr: list(s),
  description: map(s),
  pages: optional(list(any)),
})
const SYSINFO = fields({
  startTime: ts,
  localIP: s,
  publicIP: s,
  version: s,
  goVersion: s,
  os: s,
  arch: s,
  cpus: i,
  plugins: some(PLUGIN),
})
const USAGE = fields({ total: U, free: U, used: U, usage: f })
const NET = fields({ name: s, receive: U, sent: U, receiveSpeed: U, sentSpeed: U })
const SUMMARY = fields({
  address: s,
  memory: USAGE,
  cpuUsage: f,
  hardDisk: USAGE,
  netWork: list(NET),
  streamCount: i,
  subscribeCount: i,
  pullCount: i,
  pushCount: i,
  recordCount: i,
  transformCount: i,
})
const OF_TOTAL = fields({ total: f, used: f })
const LOAD = fields({
  time: ts,
  streams: i,
  viewers: i,
  receivedBps: f,
  sentBps: f,
  cpuPercent: f,
  memory: OF_TOTAL,
  processMemory: f,
  disk: OF_TOTAL,
  loopUtilization: f,
  loopDelayP50: f,
  loopDelayP99: f,
  mostViewed: some(fields({ path: s, viewers: i, receivedBps: f })),
})

/** The server as a whole (api.md 3.1, 3.2). */
export const SYSTEM_ROWS: readonly Row[] = [
  { name: 'system information', spellings: ['GET /api/sysinfo'], answer: data(SYSINFO) },
  { name: 'disabled plugins', spellings: ['GET /api/plugins/disabled'], answer: data(some(PLUGIN)) },
  { name: 'server summary', spellings: ['GET /api/summary'], answer: bare(SUMMARY) },
  {
    name: 'server summary as events',
    spellings: ['GET /api/summary/sse'],
    ask: () => ({ query: { interval: '100ms' } }),
    answer: events(SUMMARY),
  },
  {
    name: 'load as events (ours)',
    spellings: ['GET /api/load/sse'],
    ask: () => ({ query: { interval: '100ms' } }),
    answer: events(LOAD),
  },
  {
    name: 'log as events (ours)',
    spellings: ['GET /api/log/sse'],
    ask: () => ({ query: { level: 'info', tail: 1 } }),
    answer: events(
      fields({ lines: list(fields({ time: ts, level: s, msg: s, plugin: s, rest: map(any), dropped: i })) }),
    ),
  },
  {
    name: 'shutdown',
    spellings: ['POST /api/shutdown', 'POST /api/shutdown/{id}'],
    ask: () => ({ params: { id: 1 } }),
    answer: DONE,
  },
  {
    name: 'restart',
    spellings: ['POST /api/restart', 'POST /api/restart/{id}'],
    ask: () => ({ params: { id: 1 } }),
    answer: DONE,
  },
  {
    name: 'description of the API (ours)',
    spellings: ['GET /api/openapi.json'],
    answer: bare(
      fields({
        openapi: exactly('3.1.0'),
        info: any,
        tags: some(any),
        security: some(any),
        paths: map(any),
        components: map(any),
      }),
    ),
  },
  { name: 'storage schemas', pending: true, spellings: ['GET /api/storage/schemas'], answer: bare(any) },
  {
    name: 'stream auth secret',
    spellings: ['GET /v6/api/streams/secret'],
    ask: ({ streamPath }) => ({ query: { stream_path: streamPath, type: 'publish' } }),
    answer: bare(fields({ secret_type: s, plugin: s, stream_path: s, expire: s, secret: s })),
    refusals: [
      {
        why: 'there is no key',
        ask: {
          query: {
            stream_path: 'live/a',
            type: 'subscribe',
          },
        },
        status: 404,
        code: 5,
        says: /^global has no subscribe\.key$/u,
      },
      {
        why: 'the direction is none',
        ask: {
          query: {
            stream_path: 'live/a',
            type: 'both',
          },
        },
        status: 400,
        code: 3,
        says: /^type must be publish or subscribe$/u,
      },
      { why: 'there is no path', ask: {}, status: 400, code: 3, says: /^stream_path is missing$/u },
    ],
  },
  {
    name: 'parameters that pass the gates',
    spellings: ['GET /api/stream/signedquery/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath }, query: { plugin: 'rtmp', action: 'publish' } }),
    answer: data(fields({ query: map(s), expire: ts })),
    refusals: [
      {
        why: 'there is no such plugin',
        ask: ({ streamPath }) => ({ params: { streamPath }, query: { plugin: 'none' } }),
        status: 400,
        code: 3,
        says: /^plugin must be the name of a plugin that runs$/u,
      },
    ],
  },
  {
    name: 'stream auth secret of older clients',
    spellings: ['GET /{plugin}/api/secret/{type}/{streamPath}', 'GET /api/secret/{type}/{streamPath}'],
    ask: ({ streamPath }) => ({
      params: { plugin: 'flv', type: 'publish', streamPath },
      query: { expire: '7fffffff' },
    }),
    answer: text(/^text\/plain/u),
    refusals: [
      {
        why: 'there is no key',
        ask: {
          params: {
            plugin: 'rtmp',
            type: 'subscribe',
            streamPath: 'live/a',
          },
        },
        status: 404,
        code: 5,
        says: /has no subscribe\.key$/u,
      },
      {
        why: 'the direction is none',
        ask: {
          params: {
            plugin: 'rtmp',
            type: 'both',
            streamPath: 'live/a',
          },
        },
        status: 400,
        code: 3,
        says: /^type must be publish or subscribe$/u,
      },
    ],
  },
]
