import { hostname } from 'node:os'
import { isIP } from 'node:net'

/** A certificate chain and its private key, both PEM. */
export type KeyPair = { readonly cert: string; readonly key: string }

const LIFETIME_DAYS = 365
/** Clients' clocks may be behind ours. */
const MAX_BACKDATE_DAYS = 1
const DAY_MS = 86_400_000

/** By the days that they hold. */
const made = new Map<number, { readonly pair: Promise<KeyPair>; readonly dueMs: number }>()

/**
 * The certificate used where none is configured: for this machine's names, made once per process, and made anew when half
 * of its time is over.
 * @param days from its beginning to its end
 */
export function selfSignedCertificate(days = LIFETIME_DAYS, nowMs = Date.now()): Promise<KeyPair> {
  const known = made.get(days)
  if (known !== undefined && nowMs < known.dueMs) return known.pair
  const pair = makeCertificate(days, nowMs)
  made.set(days, { pair, dueMs: nowMs + (days * DAY_MS) / 2 })
  return pair
}

async function makeCertificate(days: number, nowMs: number): Promise<KeyPair> {
  // Most servers never need it, and the package and what it brings take a tenth of a second to load.
  const { generate } = await import('selfsigned')
  const beginMs = nowMs - Math.min(MAX_BACKDATE_DAYS, days / 4) * DAY_MS
  const { cert, private: key } = await generate([{ name: 'commonName', value: hostname() }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(beginMs),
    notAfterDate: new Date(beginMs + days * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: machineNames() },
    ],
  })
  return { cert, key }
}

type AltName = { type: 2; value: string } | { type: 7; ip: string }

function machineNames(): AltName[] {
  const names = new Set(['localhost', '127.0.0.1', '::1', hostname()])
  return [...names].map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name }))
}
