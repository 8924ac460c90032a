import { b, dur, f, fields, i, I, json, list, map, orNull, s, some, ts, u, U, type Check } from '../checks.ts'
import { bare, data, DONE, events, page, text, unknown, type Refusal, type Row } from '../row.ts'

const TRACK = { codec: s, delta: dur, meta: json, bps: u, bpsOut: u, fps: f, timestamp: u }
const DETAIL = fields({ filePath: s, mode: s, fragment: dur, append: b, pluginName: s, pointer: U })
/** What a session has to say of itself, by its plugin. */
const DETAILS: Check = map(() => [])
const STREAM = fields({
  path: s,
  state: i,
  subscribers: i,
  startTime: ts,
  pluginName: s,
  type: s,
  meta: json,
  isPaused: b,
  gop: i,
  speed: f,
  bufferTime: dur,
  stopOnIdle: b,
  recording: list(DETAIL),
  audioTrack: orNull(
    fields({
      ...TRACK,
      sampleRate: u,
      channels: u,
    }),
  ),
  videoTrack: orNull(
    fields({
      ...TRACK,
      width: u,
      height: u,
      gop: u,
    }),
  ),
  details: DETAILS,
  writeMergeMs: i,
  eventLoopUtilization: f,
})
const READER = orNull(fields({ sequence: u, timestamp: u, delay: u, state: i, bps: u }))
const SUBSCRIBER = fields({
  id: u,
  startTime: ts,
  audioReader: READER,
  videoReader: READER,
  meta: json,
  bufferTime: dur,
  subMode: i,
  syncMode: i,
  pluginName: s,
  type: s,
  remoteAddr: s,
  streamPath: s,
  sourcePath: s,
  sentBytes: I,
  queuedBytes: I,
  dropped: u,
  skips: u,
  details: DETAILS,
  lifetimeMs: orNull(f),
})
const FRAME = fields({
  sequence: u,
  timestamp: u,
  writeTime: ts,
  keyFrame: b,
  wrap: list(
    fields({
      timestamp: u,
      size: u,
      data: s,
    }),
  ),
})
const SNAPSHOT = fields({
  ring: list(FRAME),
  ringDataSize: u,
  reader: map(u),
  memory: list(
    fields({
      size: u,
      list: list(
        fields({
          s: u,
          e: u,
        }),
      ),
    }),
  ),
})
const STEP = fields({ name: s, description: s, error: s, startedAt: ts, completedAt: s })
const ALIAS = fields({ streamPath: s, alias: s, autoRemove: b, status: u })

const NOT_THERE = { params: { streamPath: 'live/none' } }
/** Older clients expect no error (api.md 1.1). */
const SILENT: Refusal = { why: 'nobody publishes it: it succeeds', ask: NOT_THERE, status: 200, code: 0 }
const UNSEEKABLE = { status: 501, code: 12 }

/** Streams, their tracks and their sources (api.md 3.1, 3.2). */
export const STREAM_ROWS: readonly Row[] = [
  { name: 'stream list', spellings: ['GET /api/stream/list'], answer: page(some(STREAM)) },
  {
    name: 'stream detail',
    spellings: ['GET /api/stream/info/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath } }),
    answer: data(STREAM),
    refusals: [unknown(NOT_THERE)],
  },
  ...(['audio', 'video'] as const).flatMap((kind): Row[] => [
    {
      name: `${kind} track snapshot`,
      spellings: [
        `GET /api/${kind}track/snap/{streamPath}`,
        ...(kind === 'video' ? ['GET /api/stream/snap/{streamPath}'] : []),
      ],
      ask: ({ streamPath }) => ({ params: { streamPath } }),
      answer: data(SNAPSHOT),
      refusals: [unknown(NOT_THERE)],
    },
    {
      name: `frames of the ${kind} track`,
      spellings: [`GET /api/${kind}track/sse/{streamPath}`],
      ask: ({ streamPath }) => ({ params: { streamPath } }),
      answer: events(FRAME),
      refusals: [unknown(NOT_THERE)],
    },
  ]),
  {
    name: 'position',
    spellings: ['GET /api/stream/position/sse'],
    ask: ({ streamPath }) => ({ query: { streamPath, interval: '100ms' } }),
    answer: events(ts),
  },
  {
    name: 'raw Annex B',
    spellings: ['GET /api/stream/annexb/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath } }),
    answer: text(/^application\/octet-stream$/u),
    refusals: [unknown(NOT_THERE)],
  },
  {
    name: 'wait list',
    spellings: ['GET /api/stream/waitlist'],
    ask: (world) => world.newWaiter().then(() => ({})),
    answer: bare(fields({ list: map(u) })),
  },
  {
    name: 'progress of a pull',
    spellings: ['GET /api/stream/progress/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newPull() } }),
    answer: data(fields({ steps: some(STEP), currentStep: i })),
    refusals: [unknown(NOT_THERE)],
  },
  {
    name: 'stop publishing',
    spellings: ['POST /api/stream/stop/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newStream() }, body: {} }),
    answer: DONE,
    refusals: [SILENT],
  },
  ...(['pause', 'resume'] as const).map((action): Row => ({
    name: `${action} stream`,
    spellings: [`POST /api/stream/${action}/{streamPath}`],
    ask: async (world) => ({ params: { streamPath: await world.newFilm() }, body: {} }),
    answer: DONE,
    refusals: [
      { why: 'it is live', ask: ({ streamPath }) => ({ params: { streamPath } }), ...UNSEEKABLE },
      // Older clients expect no error (api.md 1.1).
      { why: 'nothing: nobody publishes it', ask: NOT_THERE, status: 200, code: 0 },
    ],
  })),
  {
    name: 'playback speed',
    spellings: ['POST /api/stream/speed/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newFilm() }, body: { speed: 2 } }),
    answer: DONE,
    refusals: [
      unknown({ ...NOT_THERE, body: { speed: 2 } }),
      { why: 'it is live', ask: ({ streamPath }) => ({ params: { streamPath }, body: { speed: 2 } }), ...UNSEEKABLE },
    ],
  },
  {
    name: 'seek',
    spellings: ['POST /api/stream/seek/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newFilm() }, body: { timeStamp: 5 } }),
    answer: DONE,
    refusals: [
      unknown({ ...NOT_THERE, body: { timeStamp: 5 } }),
      {
        why: 'it is live',
        ask: ({ streamPath }) => ({ params: { streamPath }, body: { timeStamp: 5 } }),
        ...UNSEEKABLE,
      },
    ],
  },
]

/** Subscribers (api.md 3.1). */
export const SUBSCRIBER_ROWS: readonly Row[] = [
  {
    name: 'subscriber list',
    spellings: ['GET /api/subscribers/{streamPath}', 'GET /api/subscribers'],
    ask: ({ streamPath }) => ({ params: { streamPath } }),
    answer: page(some(SUBSCRIBER)),
  },
  {
    name: 'stop subscribing',
    spellings: ['POST /api/subscribe/stop/{id}', 'POST /api/stop/subscribe/{id}'],
    ask: async (world) => ({ params: { id: await world.newViewer() }, body: {} }),
    answer: DONE,
    refusals: [unknown({ params: { id: 4_000_000 } })],
  },
  {
    name: 'director switch',
    spellings: ['POST /api/subscribe/change/{id}/{streamPath}'],
    ask: async (world) => ({ params: { id: await world.newViewer(), streamPath: await world.newStream() }, body: {} }),
    answer: DONE,
    refusals: [unknown({ params: { id: 4_000_000, streamPath: 'live/none' } })],
  },
]

/** Aliases (api.md 3.1). */
export const ALIAS_ROWS: readonly Row[] = [
  {
    name: 'alias list',
    spellings: ['GET /api/stream/alias/list'],
    ask: (world) => world.newAlias().then(() => ({})),
    answer: data(some(ALIAS)),
  },
  {
    name: 'set stream alias',
    spellings: ['POST /api/stream/alias'],
    ask: ({ streamPath }) => ({ body: { stream_path: streamPath, alias: 'alias/set', autoRemove: false } }),
    answer: DONE,
    refusals: [
      unknown({ body: { streamPath: '', alias: 'alias/none' } }),
      { why: 'there is no alias', ask: { body: {} }, status: 400, code: 3, says: /^alias is missing$/u },
    ],
  },
  {
    name: 'set alias of a stream',
    spellings: ['POST /api/stream/alias/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath }, body: { alias: 'alias/older', autoRemove: true } }),
    answer: DONE,
  },
]
