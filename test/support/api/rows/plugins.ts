import { DONE, type Row } from '../row.ts'

/** What the shipped plugins have of their own (api.md 8.1). */
export const PLUGIN_ROWS: readonly Row[] = [
  {
    name: 'push out by RTMP',
    spellings: ['POST /rtmp/api/push/{streamPath}'],
    ask: (world) => ({
      params: { streamPath: world.streamPath },
      body: { remoteURL: world.server.rtmp(world.newName('pushed/here')) },
    }),
    answer: DONE,
    refusals: [
      {
        ...{ why: 'the address is none', ask: { params: { streamPath: 'live/walk' }, body: { remoteURL: 'none' } } },
        ...{ status: 400, code: 3 },
      },
    ],
  },
  {
    name: 'playback rate of RTSP',
    spellings: ['GET /rtsp/api/playback/speed/{streamPath}'],
    ask: async (world) => ({ params: { streamPath: await world.newRtspPull() }, query: { speed: 1 } }),
    answer: DONE,
    refusals: [
      {
        why: 'nobody pulls it',
        ask: { params: { streamPath: 'live/none' }, query: { speed: 2 } },
        status: 200,
        code: 404,
      },
      {
        why: 'no device plays so',
        ask: { params: { streamPath: 'live/none' }, query: { speed: 3 } },
        status: 200,
        code: 400,
      },
    ],
  },
]
