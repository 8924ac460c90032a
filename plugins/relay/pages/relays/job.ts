import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'

export type Kind = 'pull' | 'push'

/** A pull or push that has not ended. The address has no secrets. */
export type Job = Paths['GET /api/pull/list']['answer']['data'][number]

/** The part of the list that is seen. */
export type ListQuery = { readonly pageNum: number; readonly pageSize: number; readonly search?: string }

const REFRESH_MS = 2000

/** A hook with the pulls or pushes, kept up to date. @param kind undefined asks for none */
export function useJobs(console: Console<Paths>, kind: Kind | undefined, query: ListQuery) {
  const operation = kind && (`GET /api/${kind}/list` as const)
  const { data, error, refresh } = console.useCall(operation, { query }, { refreshMs: REFRESH_MS })
  return { jobs: data?.data, total: data?.total ?? 0, error, refresh }
}
