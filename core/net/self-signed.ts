import { hostname } from 'node:os'
import { isIP } from 'node:net'

/** A certificate chain and its private key, both PEM. */
export type KeyPair = { readonly cert: string; readonly key: string }

const LIFETIME_DAYS = 365
/** Clients' clocks may be behind ours. */
const BACKDATE_DAYS = 1
const DAY_MS = 86_400_000

let made: Promise<KeyPair> | undefined

/** The certificate used where none is configured: for this machine's names, made once per process. */
export function selfSignedCertificate(): Promise<KeyPair> {
  made ??= makeCertificate()
  return made
}

async function makeCertificate(): Promise<KeyPair> {
  // Most servers never need it, and the package and what it brings take a tenth of a second to load.
  const { generate } = await import('selfsigned')
  const now = Date.now()
  const { cert, private: key } = await generate([{ name: 'commonName', value: hostname() }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - BACKDATE_DAYS * DAY_MS),
    notAfterDate: new Date(now + LIFETIME_DAYS * DAY_MS),
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
