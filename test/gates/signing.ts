import { createHash, createHmac } from 'node:crypto'

/** An hour from now, in Unix seconds. */
export function soon(): number {
  return Math.floor(Date.now() / 1000) + 3600
}

/** The query of the built-in signature, by its formula. */
export function signatureQuery(key: string, streamPath: string, expireSeconds = soon()): string {
  const expire = expireSeconds.toString(16)
  const secret = createHash('md5').update(key + streamPath + expire)
  return `secret=${secret.digest('hex')}&expire=${expire}`
}

export type PolicyClaims = { readonly protocol: string; readonly action: string; readonly streamPath: string }

/** The query of the signed policy, by its formula; `until` carries the expiry, as `expire` is the signature's. */
export function policyQuery(secret: string, claims: PolicyClaims, expireSeconds = soon()): string {
  const lines = ['v1', claims.protocol, claims.action, claims.streamPath, String(expireSeconds)]
  const token = createHmac('sha256', secret).update(lines.join('\n'))
  return `policy=${token.digest('hex')}&until=${expireSeconds}`
}
