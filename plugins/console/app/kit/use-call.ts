import useSWR from 'swr'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { api } from './api-client.ts'

/** Asks again by itself while the page is seen, and once when it is seen again; an answer that stays the same draws nothing. */
export const useCall: Console<Paths>['useCall'] = (operation, input, { refreshMs = 0 } = {}) => {
  const key = operation === undefined ? null : ([operation, JSON.stringify(input)] as const)
  const { data, error, isLoading, mutate } = useSWR(key, () => api.call(operation as never, input as never), {
    refreshInterval: refreshMs,
    keepPreviousData: true,
    shouldRetryOnError: refreshMs > 0,
  })
  const refresh = async () => void (await mutate())
  return { data, error: error as Error | undefined, isLoading, refresh }
}
