import type { PullWish } from 'sluice/sdk'

/** The wait after a first failure. */
const RETRY_MS = 1000

/**
 * The rule by which the media of a channel is pulled.
 * @param query the time of recordings, and the speed of a download; empty for live media
 * @param maxRetry the tries after a failure; −1 is for ever
 */
export function pullRule(channelPath: string, query: string, maxRetry: number): PullWish['rule'] {
  return {
    url: `gb28181://${channelPath}${query === '' ? '' : `?${query}`}`,
    loop: 0,
    maxretry: maxRetry,
    retryinterval: RETRY_MS,
    proxy: '',
    header: {},
    args: {},
    testmode: 0,
  }
}
