import { f, fields, i, orNull, s, some, u } from '../checks.ts'
import { bare, type Refusal, type Row } from '../row.ts'

const VIDEO = fields({ codec: s, width: u, height: u, bps: u, fps: f })
const AUDIO = fields({ codec: s, bps: u, fps: f, sample_rate: u, channels: u })
const STREAM = fields({
  path: s,
  state: i,
  subscribers: i,
  start_time_ms: i,
  plugin_name: s,
  stream_type: s,
  video_track: orNull(VIDEO),
  audio_track: orNull(AUDIO),
})
const SUBSCRIBER = fields({
  id: u,
  stream_path: s,
  subscriber_type: s,
  plugin_name: s,
  remote_addr: s,
  start_time_ms: i,
})
const META = fields({ page: i, per_page: i, total: i })

/** By its problem details (RFC 9457). */
const GONE: Refusal = {
  why: 'nobody publishes it',
  ask: { params: { streamPath: 'live/none' } },
  status: 404,
  isProblem: true,
}

/** Streams as 6.x has them (api.md 10). */
export const NATIVE_ROWS: readonly Row[] = [
  {
    name: 'streams',
    spellings: ['GET /v6/api/streams'],
    ask: () => ({ query: { page: 1, per_page: 20 } }),
    answer: bare(fields({ data: some(STREAM), meta: META })),
  },
  {
    name: 'a stream',
    spellings: ['GET /v6/api/streams/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath: encodeURIComponent(streamPath) } }),
    answer: bare(STREAM),
    refusals: [GONE],
  },
  {
    name: 'end a stream',
    spellings: ['DELETE /v6/api/streams/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: encodeURIComponent(await world.newStream()) } }),
    answer: { wire: 'empty' },
    refusals: [GONE],
  },
  {
    name: 'subscribers of a stream',
    spellings: ['GET /v6/api/streams/{streamPath}/subscribers'],
    ask: ({ streamPath }) => ({ params: { streamPath: encodeURIComponent(streamPath) } }),
    answer: bare(fields({ data: some(SUBSCRIBER), meta: META })),
    refusals: [{ ...GONE, ask: { params: { streamPath: encodeURIComponent('live/none') } } }],
  },
]
