import {
  InvalidRequest,
  maskTarget,
  maskUrl,
  parseDuration,
  StreamPath,
  Type,
  viewedList,
  type OperationRegistry,
} from 'sluice/sdk'
import {
  changedPullProxy,
  changedPushProxy,
  newPullProxy,
  newPushProxy,
  type ProxyFields,
  type PullProxyFields,
} from '../kept/proxy-fields.ts'
import { DISABLED } from '../health/proxy-state.ts'
import type { ProxyRoster } from '../kept/proxy-roster.ts'
import type { ProxySettings, PullProxySettings, PushProxySettings } from '../kept/proxy-settings.ts'
import type { Proxies } from '../proxies.ts'
import { proxiesFound, ProxySearch } from './proxy-search.ts'
import {
  AddedProxy,
  PullProxyInput,
  PullProxyPatch,
  PullProxyView,
  PushProxyInput,
  PushProxyPatch,
  PushProxyView,
} from './proxy-schemas.ts'
import { pullProxyView, pushProxyView } from './proxy-views.ts'

/** Adds the operations that list and change pull and push proxies (api.md 3.1, 3.2). */
export function addProxyOperations(
  operations: OperationRegistry,
  { pulls, pushes, types }: Pick<Proxies, 'pulls' | 'pushes' | 'types'>,
): void {
  operations.add({
    method: 'GET',
    path: '/api/proxy/pull/list',
    aliases: ['/api/device/list'],
    summary: 'Pull proxy list',
    query: ProxySearch,
    answer: Type.Array(PullProxyView),
    paged: true,
    reach: 'one',
    async handle({ query }) {
      await pulls.roster.load()
      const shown = { mask: maskUrl, stateOf: (proxy: PullProxySettings) => pulls.stateOf(proxy) }
      const found = proxiesFound(pulls.roster.list(), query, shown)
      return viewedList(found, (proxy) => pullProxyView(proxy, pulls.stateOf(proxy)))
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/proxy/pull/add',
    aliases: ['/api/device/add'],
    summary: 'Add pull proxy',
    body: PullProxyInput,
    answer: AddedProxy,
    reach: 'one',
    async handle({ body }) {
      if (!body.pullURL) throw new InvalidRequest('pullURL is missing')
      const { id } = await pulls.roster.add((id) => newPullProxy(id, pullFields(body), types.pull))
      return { ID: id }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/proxy/pull/update',
    aliases: ['/api/device/update'],
    summary: 'Update pull proxy',
    body: PullProxyPatch,
    reach: 'one',
    handle: ({ body }) =>
      pulls.roster.update(body.ID, (before) => changedPullProxy(before, pullFields(body), types.pull)),
  })

  addRemoval(operations, 'Delete pull proxy', ['/api/proxy/pull/remove/{id}', '/api/device/remove/{id}'], pulls.roster)

  operations.add({
    method: 'GET',
    path: '/api/proxy/push/list',
    summary: 'Push proxy list',
    query: ProxySearch,
    answer: Type.Array(PushProxyView),
    paged: true,
    reach: 'one',
    async handle({ query }) {
      await pushes.roster.load()
      const shown = { mask: maskTarget, stateOf: (proxy: PushProxySettings) => pushes.stateOf(proxy) }
      const found = proxiesFound(pushes.roster.list(), query, shown)
      return viewedList(found, (proxy) => pushProxyView(proxy, pushes.stateOf(proxy)))
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/proxy/push/add',
    summary: 'Add push proxy',
    body: PushProxyInput,
    answer: AddedProxy,
    reach: 'one',
    async handle({ body }) {
      if (!body.pushURL) throw new InvalidRequest('pushURL is missing')
      const { id } = await pushes.roster.add((id) => newPushProxy(id, pushFields(body), types.push))
      return { ID: id }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/proxy/push/update',
    summary: 'Update push proxy',
    body: PushProxyPatch,
    reach: 'one',
    handle: ({ body }) =>
      pushes.roster.update(body.ID, (before) => changedPushProxy(before, pushFields(body), types.push)),
  })

  addRemoval(operations, 'Delete push proxy', ['/api/proxy/push/remove/{id}'], pushes.roster)
}

/** Adds an operation that removes a proxy by its id, or with id 0 all proxies of a stream path. */
function addRemoval(
  operations: OperationRegistry,
  summary: string,
  [path, ...aliases]: readonly [string, ...string[]],
  roster: Pick<ProxyRoster<ProxySettings>, 'remove' | 'removePath'>,
): void {
  operations.add({
    method: 'POST',
    path,
    aliases,
    summary,
    params: Type.Object({
      id: Type.Integer({
        minimum: 0,
        maximum: 2 ** 32 - 1,
      }),
    }),
    body: Type.Object({ streamPath: Type.Optional(StreamPath()) }),
    reach: 'one',
    async handle({ params: { id }, body: { streamPath } }) {
      if (id !== 0) return roster.remove(id)
      if (streamPath === undefined) throw new InvalidRequest('id 0 needs a streamPath')
      return roster.removePath(streamPath)
    },
  })
}

function pullFields(body: PullProxyInput): PullProxyFields {
  const { pullURL: url, pullOnStart: beginsAlone, stopOnIdle: stopsOnIdle, recordPath } = body
  return {
    ...commonFields(body),
    url,
    beginsAlone,
    stopsOnIdle,
    recordPath,
    recordFragmentMs: durationOf('recordFragment', body.recordFragment),
    checkIntervalMs: durationOf('checkInterval', body.checkInterval),
  }
}

function pushFields(body: PushProxyInput): ProxyFields {
  const { pushURL: url, pushOnStart: beginsAlone } = body
  return { ...commonFields(body), url, beginsAlone }
}

function commonFields({
  parentID: parentId,
  name,
  type,
  status,
  audio,
  description,
  streamPath,
}: PushProxyInput): ProxyFields {
  const isDisabled = status === undefined ? undefined : status === DISABLED
  return { parentId, name, type, isDisabled, audio, description, streamPath }
}

function durationOf(field: string, given: string | number | undefined): number | undefined {
  if (given === undefined || given === '') return undefined
  const durationMs = parseDuration(String(given))
  if (durationMs === undefined) throw new InvalidRequest(`${field}: expected a duration such as '10s'`)
  return durationMs
}
