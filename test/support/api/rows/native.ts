import { any, fields, i, list, orNull, s, some, u, f } from '../checks.ts'
import { bare, type Row } from '../row.ts'

const VIDEO = fields({ codec: s, width: u, height: u, bps: u, fps: f })
const AUDIO = fields({ codec: s, bps: u, sample_rate: u, channels: u })
const STREAM = fields({
  ...{ path: s, state: any, subscribers: i, start_time_ms: i, plugin_name: s, stream_type: s },
  ...{ video_track: orNull(VIDEO), audio_track: orNull(AUDIO) },
})

/** Streams as 6.x has them (api.md 10). */
export const NATIVE_ROWS: readonly Row[] = [
  {
    name: 'streams',
    pending: true,
    spellings: ['GET /v6/api/streams'],
    ask: () => ({ query: { page: 1, per_page: 20 } }),
    answer: bare(fields({ data: some(STREAM), meta: fields({ page: i, per_page: i, total: i }) })),
  },
  {
    name: 'a stream',
    pending: true,
    spellings: ['GET /v6/api/streams/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath } }),
    answer: bare(any),
  },
  {
    name: 'end a stream',
    pending: true,
    spellings: ['DELETE /v6/api/streams/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newStream() } }),
    answer: { wire: 'empty' },
  },
  {
    name: 'subscribers of a stream',
    pending: true,
    spellings: ['GET /v6/api/streams/{streamPath}/subscribers'],
    ask: ({ streamPath }) => ({ params: { streamPath } }),
    answer: bare(list(any)),
  },
]
