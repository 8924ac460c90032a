import { randomBytes } from 'node:crypto'
import {
  checkAuthorization,
  createDigestChallenge,
  createNonce,
  parseAuthorization,
  type Authorization,
} from 'sluice/sdk/http'
import { tryParse } from 'sluice/sdk/media'
import type { SipRequest } from '../sip/message.ts'
import type { ResponseInit } from '../sip/requests.ts'
import { useNonce, type UsedNonces } from './nonce-uses.ts'

/** The state for the check of passwords, which generations share. */
export type KeptCredentials = { readonly nonceKey: Buffer; readonly used: UsedNonces }

/** Returns the state with which the first generation begins. */
export function newKeptCredentials(): KeptCredentials {
  return { nonceKey: randomBytes(32), used: new Map() }
}

/** `challenged`: it has no credentials, or those are out of date, and is to come again with some. */
export type CredentialsResult = 'granted' | 'challenged' | 'stale' | 'denied'

/** The values that a request is checked against. */
export type CredentialsCheck = {
  readonly realm: string
  readonly password: string
  /** `X-GB-ver` of the device. */
  readonly version: string
}

const NEWEST = ['SM3', 'SHA-256', 'MD5'] as const
/** Devices of before 2022 know MD5 alone, and some take the first challenge whatever it says. */
const OLDER = ['MD5'] as const

/**
 * Checks the credentials of a request (RFC 3261 22, RFC 8760; GB/T 28181-2022 9.1). The user name is that of the password and of the
 * device's choice: the device is the one of `From`.
 */
export function checkCredentials(
  { method, headers }: SipRequest,
  { realm, password, version }: CredentialsCheck,
  kept: KeptCredentials,
): CredentialsResult {
  const text = headers.get('Authorization')
  if (text === undefined) return 'challenged'
  const authorization = tryParse((value) => parseAuthorization(value, algorithmsFor(version)), text)
  if (authorization?.scheme !== 'digest') return 'denied'
  const account = { realm, username: authorization.username, password, nonceKey: kept.nonceKey }
  // Devices sign the URI of the request, its domain, or one of their own; a nonce that holds once makes it of no use to others.
  const request = { method, isFor: () => true }
  const result = checkAuthorization(authorization, request, account, Date.now())
  if (result !== 'granted') return result
  return isFirstUse(authorization, kept.used) ? 'granted' : 'stale'
}

/** The answer that asks for credentials: a header for each algorithm, the strongest first. */
export function challenge(realm: string, version: string, isStale: boolean, kept: KeptCredentials): ResponseInit {
  const nonce = createNonce(kept.nonceKey, Date.now(), randomBytes(8))
  const headers = algorithmsFor(version).map((algorithm): [string, string] => [
    'WWW-Authenticate',
    createDigestChallenge(algorithm, realm, nonce, isStale),
  ])
  return { status: 401, headers }
}

function algorithmsFor(version: string) {
  return Number(version) >= 3 ? NEWEST : OLDER
}

function isFirstUse({ nonce, qop }: Authorization & { readonly scheme: 'digest' }, used: UsedNonces): boolean {
  return useNonce(used, nonce, qop?.nc, Date.now())
}
