import { NONCE_LIFETIME_MS } from 'sluice/sdk/http'

/** The most nonces that are remembered; when more are used, the oldest may be used again by whoever heard it. */
const MAX_NONCES = 100_000

/** Nonces that have been used, which generations share: the latest count, and when they are forgotten. */
export type UsedNonces = Map<string, { readonly count: number; readonly untilMs: number }>

/**
 * Notes the use of a nonce, so that nobody repeats a request that was heard: without `qop`, a nonce holds once; with it, each
 * use needs a higher count (RFC 7616 3.3).
 * @param nc the count in hex; undefined without `qop`
 * @returns false when it was used already
 */
export function useNonce(used: UsedNonces, nonce: string, nc: string | undefined, nowMs: number): boolean {
  forgetOld(used, nowMs)
  const count = nc === undefined ? Infinity : Number.parseInt(nc, 16)
  const before = used.get(nonce)?.count ?? 0
  if (count <= before) return false
  used.set(nonce, { count, untilMs: nowMs + NONCE_LIFETIME_MS })
  return true
}

/** Nonces are in the order of their first use, so those that have expired are in front. */
function forgetOld(used: UsedNonces, nowMs: number): void {
  for (const [nonce, { untilMs }] of used) {
    if (untilMs > nowMs && used.size < MAX_NONCES) return
    used.delete(nonce)
  }
}
