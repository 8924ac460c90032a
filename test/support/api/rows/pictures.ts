import { b, fields, i, list, s, some, ts, u, U } from '../checks.ts'
import { data, DONE, page, text, unknown, type Row } from '../row.ts'

const PICTURE = fields({ id: u, streamPath: s, time: ts, mode: i, filePath: s })

/** The pictures that are kept, for the console. */
export const PICTURE_ROWS: readonly Row[] = [
  {
    name: 'take a picture',
    spellings: ['POST /snap/api/take/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath } }),
    answer: data(PICTURE),
    refusals: [
      {
        why: 'it would leave the storage',
        ask: ({ streamPath }) => ({ params: { streamPath }, body: { savePath: '../out' } }),
        status: 400,
        code: 3,
      },
    ],
  },
  {
    name: 'streams with pictures',
    spellings: ['GET /snap/api/streams'],
    ask: async (world) => {
      await world.newPicture()
      return { query: { search: 'WALK' } }
    },
    answer: page(some(fields({ streamPath: s, count: u, firstTime: ts, latestTime: ts }))),
  },
  {
    name: 'list of pictures',
    spellings: ['GET /snap/api/list/{streamPath}'],
    ask: async (world) => {
      await world.newPicture()
      return { params: { streamPath: world.streamPath } }
    },
    answer: page(some(PICTURE)),
  },
  {
    name: 'picture',
    spellings: ['GET /snap/api/picture/{id}'],
    ask: async (world) => ({ params: { id: await world.newPicture() } }),
    answer: text(/^image\/jpeg/u),
    refusals: [unknown({ params: { id: 999_999 } })],
  },
  {
    name: 'delete pictures',
    spellings: ['POST /snap/api/delete'],
    ask: async (world) => ({ body: { ids: [await world.newPicture()] } }),
    answer: data(some(PICTURE)),
    refusals: [{ why: 'none is named', ask: { body: { ids: [] } }, status: 400, code: 3 }],
  },
  {
    name: 'begin a batch of pictures',
    spellings: ['POST /snap/api/batch/{streamPath}'],
    ask: ({ streamPath }) => ({ params: { streamPath }, body: { end: String(Date.now() + 1000), granularity: 60 } }),
    answer: DONE,
    refusals: [
      {
        why: 'its time is over',
        ask: ({ streamPath }) => ({ params: { streamPath }, body: { end: '1764000000' } }),
        status: 400,
        code: 3,
      },
    ],
  },
  {
    name: 'batches of pictures',
    spellings: ['GET /snap/api/batches'],
    answer: data(list(fields({ id: U, streamPath: s, isRecorded: b, taken: u }))),
  },
]
