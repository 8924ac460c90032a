import { any, fields, map, s } from '../checks.ts'
import { bare, data, DONE, text, unknown, type Row } from '../row.ts'

/** The config (api.md 3.1, 3.2). */
export const CONFIG_ROWS: readonly Row[] = [
  { name: 'config file', pending: true, spellings: ['GET /api/config/file'], answer: data(s) },
  {
    name: 'update config file',
    pending: true,
    spellings: ['POST /api/config/file/update'],
    // As it is: it is read anew, and nothing changes.
    ask: async ({ server }) => ({ body: (await server.api('/api/config/file')).body.data }),
    answer: DONE,
  },
  {
    name: 'config templates',
    pending: true,
    spellings: ['GET /api/config/yaml/all'],
    ask: () => ({ query: { name: 'rtmp', common: 'false' } }),
    answer: text(/^text\/yaml/u),
  },
  {
    name: 'single config',
    pending: true,
    spellings: ['GET /api/config/get/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(fields({ file: s, modified: s, merged: s })),
    refusals: [unknown({ params: { name: 'none' } })],
  },
  {
    name: 'form of a config',
    pending: true,
    spellings: ['GET /api/config/formily/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(fields({ file: s, modified: s, merged: s })),
    refusals: [unknown({ params: { name: 'none' } })],
  },
  {
    name: 'modify config',
    pending: true,
    spellings: ['POST /api/config/modify'],
    ask: () => ({ body: { name: 'rtmp', yaml: 'chunksize: 4096\n' } }),
    answer: DONE,
    refusals: [unknown({ body: { name: 'none', yaml: 'a: 1\n' } })],
  },
  {
    name: 'modify config of older clients',
    pending: true,
    spellings: ['POST /api/config/modify/{name}'],
    ask: () => ({ params: { name: 'rtmp' }, body: 'chunksize: 4096\n' }),
    answer: DONE,
    refusals: [unknown({ params: { name: 'none' }, body: 'a: 1\n' })],
  },
  {
    name: 'config as JSON',
    pending: true,
    spellings: ['GET /api/config/json/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: bare(map(any)),
    refusals: [unknown({ params: { name: 'none' } })],
  },
]

const SECTION = fields({ config: any, sources: any, inherited: any })

/** The config as 6.x has it (api.md 10). */
export const NATIVE_CONFIG_ROWS: readonly Row[] = [
  { name: 'all sections', pending: true, spellings: ['GET /config/'], answer: data(SECTION) },
  {
    name: 'a section',
    pending: true,
    spellings: ['GET /config/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(SECTION),
    refusals: [unknown({ params: { name: 'none' } })],
  },
  {
    name: 'change a section',
    pending: true,
    spellings: ['PUT /config/{name}'],
    ask: () => ({ params: { name: 'rtmp' }, body: { chunksize: 4096 } }),
    answer: data(any),
    refusals: [unknown({ params: { name: 'none' }, body: {} })],
  },
  {
    name: 'schema of a section',
    pending: true,
    spellings: ['GET /config/schema/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(map(any)),
    refusals: [unknown({ params: { name: 'none' } })],
  },
  {
    name: 'validate',
    pending: true,
    spellings: ['POST /config/validate'],
    ask: () => ({ body: { plugin: 'rtmp', config: { chunksize: 4096 } } }),
    answer: data(any),
  },
  {
    name: 'reset',
    pending: true,
    spellings: ['POST /config/reset/{name}'],
    ask: () => ({ params: { name: 'rtmp' }, body: {} }),
    answer: DONE,
  },
  {
    name: 'where values come from',
    pending: true,
    spellings: ['GET /config/debug', 'GET /config/debug/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(any),
  },
  {
    name: 'form page',
    pending: true,
    spellings: ['GET /config/page', 'GET /config/page/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: text(/^text\/html/u),
  },
  { name: 'second face: all', pending: true, spellings: ['GET /api/config/'], answer: data(any) },
  {
    name: 'second face: a section',
    pending: true,
    spellings: ['GET /api/config/{name}'],
    ask: () => ({ params: { name: 'rtmp' } }),
    answer: data(any),
  },
  {
    name: 'second face: change',
    pending: true,
    spellings: ['PUT /api/config/{name}'],
    ask: () => ({ params: { name: 'rtmp' }, body: { config: { chunksize: 4096 }, persistent: false } }),
    answer: data(any),
  },
  {
    name: 'second face: reload',
    pending: true,
    spellings: ['POST /api/config/{name}/reload'],
    ask: () => ({ params: { name: 'rtmp' }, body: {} }),
    answer: DONE,
  },
]
