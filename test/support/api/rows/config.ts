import { any, b, fields, list, map, optional, s, some, ts, u } from '../checks.ts'
import { bare, data, DONE, text, unknown, type Row } from '../row.ts'

/** The config (api.md 3.1, 3.2). */
export const CONFIG_ROWS: readonly Row[] = [
  { name: 'config file', spellings: ['GET /api/config/file'], answer: data(s) },
  {
    name: 'update config file',
    spellings: ['POST /api/config/file/update'],
    // As it is: it is read anew, and nothing changes.
    ask: async ({ server }) => ({ body: (await server.api('/api/config/file')).body.data }),
    answer: DONE,
  },
  {
    name: 'config templates',
    spellings: ['GET /api/config/yaml/all'],
    ask: () => ({ query: { name: 'rtmp', common: 'false' } }),
    answer: text(/^text\/yaml/u),
  },
  {
    name: 'single config',
    spellings: ['GET /api/config/get/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(fields({ file: s, modified: s, merged: s })),
    refusals: [unknown({ params: { name: 'none' } })],
  },
  {
    name: 'form of a config',
    spellings: ['GET /api/config/formily/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(fields({ file: s, modified: s, merged: s })),
    refusals: [unknown({ params: { name: 'none' } })],
  },
  {
    name: 'modify config',
    spellings: ['POST /api/config/modify'],
    ask: () => ({ body: { name: 'rtmp', yaml: 'chunksize: 4096\n' } }),
    answer: DONE,
    refusals: [unknown({ body: { name: 'none', yaml: 'a: 1\n' } })],
  },
  {
    name: 'modify config of older clients',
    spellings: ['POST /api/config/modify/{name}'],
    ask: () => ({ params: { name: 'rtmp' }, body: 'chunksize: 4096\n' }),
    answer: DONE,
    refusals: [unknown({ params: { name: 'none' }, body: 'a: 1\n' })],
  },
  {
    name: 'config as JSON',
    spellings: ['GET /api/config/json/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: bare(map(any)),
    refusals: [unknown({ params: { name: 'none' } })],
  },
]

const SECTION = { config: map(any), sources: map(s), inherited: any, revision: u, storable: b }
const CHANGED = { changed: list(s), requires_restart: b, restart_keys: list(s), revision: u }
const LAYER = fields({ source: s, value: any, place: s, by: optional(s), time: optional(ts) })
const KEYS = some(fields({ key: s, value: any, source: s, secret: b, layers: list(LAYER) }))
const SUMMARY = fields({ name: s, enabled: b, modified: b, revision: u })
const KEPT = { config: map(any), persistent: b }
const NOBODY = { params: { plugin: 'none' } }

/** The config as 6.x has it (api.md 10). */
export const NATIVE_CONFIG_ROWS: readonly Row[] = [
  {
    name: 'all sections',
    spellings: ['GET /config/', 'GET /config', 'GET /api/config/', 'GET /api/config'],
    answer: data(some(SUMMARY)),
  },
  {
    name: 'a section',
    spellings: ['GET /config/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' } }),
    answer: data(fields(SECTION)),
    refusals: [unknown(NOBODY)],
  },
  {
    name: 'change a section',
    spellings: ['PUT /config/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' }, body: { chunksize: 4096 } }),
    answer: data(fields({ ...SECTION, ...CHANGED })),
    refusals: [
      unknown({ ...NOBODY, body: {} }),
      {
        why: 'there is no such key',
        ask: {
          params: { plugin: 'rtmp' },
          body: { chunksise: 1 },
        },
        status: 400,
        code: 3,
        says: /chunksise/u,
      },
    ],
  },
  {
    name: 'schema of a section',
    spellings: ['GET /config/schema/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' } }),
    answer: data(map(any)),
    refusals: [unknown(NOBODY)],
  },
  {
    name: 'validate',
    spellings: ['POST /config/validate'],
    ask: () => ({ body: { plugin: 'rtmp', config: { chunksize: 'none' } } }),
    answer: data(fields({ valid: b, problems: some(fields({ key: s, message: s })) })),
  },
  {
    name: 'reset',
    spellings: ['POST /config/reset/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' }, body: { keys: ['chunksize'] } }),
    answer: data(fields(CHANGED)),
    refusals: [unknown(NOBODY)],
  },
  {
    name: 'where values come from',
    spellings: ['GET /config/debug/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' } }),
    answer: data(KEYS),
    refusals: [unknown(NOBODY)],
  },
  {
    name: 'where all values come from',
    spellings: ['GET /config/debug'],
    answer: data(some(fields({ section: s, keys: KEYS }))),
  },
  {
    name: 'form page',
    pending: true,
    spellings: ['GET /config/page', 'GET /config/page/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' } }),
    answer: text(/^text\/html/u),
  },
  {
    name: 'second face: a section',
    spellings: ['GET /api/config/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' } }),
    answer: data(fields(KEPT)),
    refusals: [unknown(NOBODY)],
  },
  {
    name: 'second face: change',
    spellings: ['PUT /api/config/{plugin}'],
    ask: () => ({ params: { plugin: 'rtmp' }, body: { config: { chunksize: 8192 }, persistent: false } }),
    answer: data(fields({ ...KEPT, ...CHANGED })),
    refusals: [unknown({ ...NOBODY, body: {} })],
  },
  {
    name: 'second face: reload',
    spellings: ['POST /api/config/{plugin}/reload'],
    ask: () => ({ params: { plugin: 'mp4' }, body: {} }),
    answer: DONE,
    refusals: [unknown(NOBODY)],
  },
]
