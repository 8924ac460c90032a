import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'

/** The two kinds of proxies: sources that are pulled, and targets that are pushed to. */
export type Kind = 'pull' | 'push'

/** Values of `status`: offline, and disabled. Anything but the latter enables a proxy. */
export const OFFLINE = 0
export const DISABLED = 3

type PullProxy = Paths['GET /api/proxy/pull/list']['answer']['data'][number]
type PushProxy = Paths['GET /api/proxy/push/list']['answer']['data'][number]

/** A proxy of either kind, as its list has it. The address has no secrets. */
export type Proxy = Omit<PushProxy, 'pushURL' | 'pushOnStart'> & {
  readonly address: string
  /** It begins as soon as the other server is there. */
  readonly beginsAlone: boolean
  /** The fields of pull proxies alone. */
  readonly pull: Pick<PullProxy, 'stopOnIdle' | 'recordPath' | 'recordFragment' | 'checkInterval'> | undefined
}

/** The part of the list that is seen. */
export type ListQuery = {
  readonly pageNum: number
  readonly pageSize: number
  readonly search?: string
  readonly status?: number
}

const REFRESH_MS = 3000

/** A hook with the proxies of a kind, kept up to date. */
export function useProxies(console: Console<Paths>, kind: Kind, query: ListQuery) {
  const isPull = kind === 'pull'
  const options = { refreshMs: REFRESH_MS }
  const pulls = console.useCall(isPull ? 'GET /api/proxy/pull/list' : undefined, { query }, options)
  const pushes = console.useCall(isPull ? undefined : 'GET /api/proxy/push/list', { query }, options)
  const { error, refresh } = isPull ? pulls : pushes
  const proxies = isPull ? pulls.data?.data.map(ofPull) : pushes.data?.data.map(ofPush)
  const total = (isPull ? pulls : pushes).data?.total ?? 0
  return { proxies, total, error, refresh }
}

function ofPull({ pullURL, pullOnStart, ...rest }: PullProxy): Proxy {
  const { stopOnIdle, recordPath, recordFragment, checkInterval } = rest
  return {
    ...rest,
    address: pullURL,
    beginsAlone: pullOnStart,
    pull: { stopOnIdle, recordPath, recordFragment, checkInterval },
  }
}

function ofPush({ pushURL, pushOnStart, ...rest }: PushProxy): Proxy {
  return { ...rest, address: pushURL, beginsAlone: pushOnStart, pull: undefined }
}

/** The text by which people know a proxy. */
export function nameOf({ name, streamPath }: Pick<Proxy, 'name' | 'streamPath'>): string {
  return name || streamPath
}
