/** Compiled, never run: what a client may do with the operations of the API, and what is a compile error. */
import type { Paths } from 'sluice/api'

type Request<Key extends keyof Paths> = Omit<Paths[Key], 'answer' | 'event'>

declare function ask<Key extends keyof Paths>(operation: Key, request: Request<Key>): Promise<Paths[Key]['answer']>
declare function watch<Key extends keyof Paths>(operation: Key): AsyncIterable<Paths[Key]['event']>

const NONE = { params: {}, query: {}, body: undefined }

export async function reading(): Promise<void> {
  const { data } = await ask('GET /api/sysinfo', NONE)
  const name: string | undefined = data.plugins[0]?.name
  // @ts-expect-error a name is no number
  const count: number | undefined = data.plugins[0]?.name
  // @ts-expect-error a plugin has no such field
  const title = data.plugins[0]?.title

  const list = await ask('GET /api/stream/list', { ...NONE, query: { pageNum: 1 } })
  const states: number[] = list.data.map(({ state }) => state)
  const code: number = list.code
  // @ts-expect-error the page is a number
  await ask('GET /api/stream/list', { ...NONE, query: { pageNum: '1' } })
  // @ts-expect-error there is no such parameter
  await ask('GET /api/stream/list', { ...NONE, query: { page: 1 } })
  // @ts-expect-error this one takes no parameters at all
  await ask('GET /api/sysinfo', { ...NONE, query: { page: 1 } })
  // @ts-expect-error there is no such operation
  await ask('GET /api/none', NONE)
  // @ts-expect-error the path has another method
  await ask('POST /api/sysinfo', NONE)

  for await (const { streamCount } of watch('GET /api/summary/sse')) count satisfies typeof streamCount | undefined
  // @ts-expect-error this one has no events
  for await (const { version } of watch('GET /api/sysinfo')) count satisfies typeof version

  await ask('GET /config/{plugin}', { ...NONE, params: { plugin: 'global' } })
  // @ts-expect-error the path has a parameter
  await ask('GET /config/{plugin}', NONE)
  await ask('POST /api/arming/set', { ...NONE, body: { armed: true } })
  // @ts-expect-error the body has to say it
  await ask('POST /api/arming/set', { ...NONE, body: {} })
  // An older spelling is the same operation.
  const older: Paths['GET /api/proxy/pull/list']['answer'] = await ask('GET /api/device/list', NONE)
  const file: string = await ask('GET /api/config/yaml/all', NONE)
  const picture: Blob = await ask('GET /api/stream/annexb/{streamPath}', {
    ...NONE,
    params: { streamPath: 'live/test' },
  })
  return void [name, count, title, states, code, older, file, picture]
}
