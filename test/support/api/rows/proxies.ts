import { b, dur, fields, list, s, some, ts, u } from '../checks.ts'
import { data, DONE, page, unknown, type Row } from '../row.ts'
import type { ApiWorld } from '../world.ts'

const PROXY = {
  ID: u,
  createTime: ts,
  updateTime: ts,
  parentID: u,
  name: s,
  type: s,
  status: u,
  audio: b,
  description: s,
  rtt: u,
  streamPath: s,
  error: s,
  isFixed: b,
}
const PULL_PROXY = fields({
  ...PROXY,
  pullURL: s,
  pullOnStart: b,
  stopOnIdle: b,
  recordPath: s,
  recordFragment: dur,
  checkInterval: dur,
})
const PUSH_PROXY = fields({ ...PROXY, pushURL: s, pushOnStart: b })
const JOB = fields({
  id: u,
  streamPath: s,
  protocol: s,
  url: s,
  origin: s,
  state: s,
  startTime: ts,
  tries: u,
  lastError: s,
  bytes: u,
  bps: u,
})
const RULE = fields({ plugin: s, when: s, path: s, url: s })
/** Nothing listens there. */
const NOWHERE = 'rtmp://127.0.0.1:1/nowhere'
const NOBODY = 4_000_000

/** Pull and push proxies, pulls, and what is made of streams (api.md 3.1, 3.2). */
export const PROXY_ROWS: readonly Row[] = [
  {
    name: 'pull proxy list',
    spellings: ['GET /api/proxy/pull/list', 'GET /api/device/list'],
    ask: (world) => world.newProxy('pull').then(() => ({})),
    answer: page(some(PULL_PROXY)),
  },
  {
    name: 'add pull proxy',
    spellings: ['POST /api/proxy/pull/add', 'POST /api/device/add'],
    ask: (world) => ({ body: { pull_url: NOWHERE, streamPath: world.newName('proxied/added'), status: 3, type: 1 } }),
    answer: data(fields({ ID: u })),
    refusals: [
      { why: 'there is no address', ask: { body: { name: 'a' } }, status: 400, code: 3, says: /^pullURL is missing$/u },
    ],
  },
  {
    name: 'update pull proxy',
    spellings: ['POST /api/proxy/pull/update', 'POST /api/device/update'],
    ask: async (world) => ({ body: { ID: await world.newProxy('pull'), name: 'changed', pullOnStart: false } }),
    answer: DONE,
    refusals: [
      unknown({ body: { ID: NOBODY, name: 'changed' } }),
      { why: 'it names none', ask: { body: {} }, status: 400, code: 3, says: /^ID is missing$/u },
    ],
  },
  {
    name: 'delete pull proxy',
    spellings: ['POST /api/proxy/pull/remove/{id}', 'POST /api/device/remove/{id}'],
    ask: async (world) => ({ params: { id: await world.newProxy('pull') }, body: {} }),
    answer: DONE,
    refusals: [unknown({ params: { id: NOBODY } })],
  },
  {
    name: 'push proxy list',
    spellings: ['GET /api/proxy/push/list'],
    ask: (world) => world.newProxy('push').then(() => ({})),
    answer: page(some(PUSH_PROXY)),
  },
  {
    name: 'add push proxy',
    spellings: ['POST /api/proxy/push/add'],
    ask: (world) => ({ body: { pushURL: NOWHERE, streamPath: world.newName('proxied/pushed'), status: 3 } }),
    answer: data(fields({ ID: u })),
    refusals: [
      { why: 'there is no address', ask: { body: { name: 'a' } }, status: 400, code: 3, says: /^pushURL is missing$/u },
    ],
  },
  {
    name: 'update push proxy',
    spellings: ['POST /api/proxy/push/update'],
    ask: async (world) => ({ body: { ID: await world.newProxy('push'), description: 'changed' } }),
    answer: DONE,
    refusals: [unknown({ body: { ID: NOBODY, name: 'changed' } })],
  },
  {
    name: 'delete push proxy',
    spellings: ['POST /api/proxy/push/remove/{id}'],
    ask: async (world) => ({ params: { id: await world.newProxy('push') }, body: {} }),
    answer: DONE,
    refusals: [unknown({ params: { id: NOBODY } })],
  },
  {
    name: 'remote pull',
    spellings: ['POST /api/stream/pull', 'POST /api/pull/add'],
    ask: (world) => ({
      body: {
        remoteURL: world.server.http(`/flv/${world.streamPath}.flv`),
        stream_path: world.newName('pulled/asked'),
        testMode: 0,
        pubAudio: true,
        publishTimeout: '10s',
      },
    }),
    answer: DONE,
    refusals: [
      {
        why: 'nobody pulls so',
        ask: {
          body: {
            remoteURL: 'none://a/b',
            protocol: 'none',
          },
        },
        status: 400,
        code: 3,
        says: /none/u,
      },
    ],
  },
  {
    name: 'remote push',
    spellings: ['POST /api/stream/push'],
    ask: (world) => ({
      body: { streamPath: world.streamPath, remote_url: world.server.rtmp(world.newName('pushed/asked')) },
    }),
    answer: DONE,
    refusals: [
      unknown({ body: { streamPath: 'live/none', remoteURL: NOWHERE } }),
      ...[
        { why: 'the address is none', remoteURL: 'none', says: /no address/u },
        { why: 'nobody pushes so', remoteURL: 'gopher://a/b', says: /protocol/u },
      ].map(({ why, remoteURL, says }) => ({
        why,
        ask: (world: ApiWorld) => ({ body: { streamPath: world.streamPath, remoteURL } }),
        status: 400,
        code: 3,
        says,
      })),
    ],
  },
  ...(['pull', 'push'] as const).flatMap((kind): Row[] => [
    {
      name: `list of ${kind}s`,
      spellings: [`GET /api/${kind}/list`],
      ask: () => ({ query: { search: 'none' } }),
      answer: page(list(JOB)),
    },
    { name: `${kind} rules`, spellings: [`GET /api/${kind}/rules`], answer: data(list(RULE)) },
  ]),
  {
    name: 'transforms',
    pending: true,
    spellings: ['GET /api/transform/list'],
    answer: data(list(fields({ streamPath: s, target: s, pluginName: s, config: s }))),
  },
]
