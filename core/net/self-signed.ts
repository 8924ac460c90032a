import { hostname } from 'node:os'
import { makeSelfSigned, type KeyPair } from 'sluice/sdk/host'

const LIFETIME_DAYS = 365
/** The most days that a certificate begins in the past, as the clocks of clients may be behind. */
const MAX_BACKDATE_DAYS = 1
const DAY_MS = 86_400_000

/** The certificates made so far, by their lifetime in days. */
const made = new Map<number, { readonly pair: KeyPair; readonly dueMs: number }>()

/**
 * The certificate used where none is configured: for this machine's names, made once per process, and again when half of its
 * lifetime is over.
 * @param days the lifetime in days
 */
export function selfSignedCertificate(days = LIFETIME_DAYS, nowMs = Date.now()): KeyPair {
  const known = made.get(days)
  if (known !== undefined && nowMs < known.dueMs) return known.pair
  const pair = makeCertificate(days, nowMs)
  made.set(days, { pair, dueMs: nowMs + (days * DAY_MS) / 2 })
  return pair
}

function makeCertificate(days: number, nowMs: number): KeyPair {
  const beginMs = nowMs - Math.min(MAX_BACKDATE_DAYS, days / 4) * DAY_MS
  return makeSelfSigned({
    commonName: hostname(),
    names: [...new Set(['localhost', '127.0.0.1', '::1', hostname()])],
    notBefore: new Date(beginMs),
    notAfter: new Date(beginMs + days * DAY_MS),
  })
}
