import { SluiceError, type InheritedConfig, type SessionAction } from 'sluice/sdk'
import { checksSignature, keyOf, signatureNames } from './signature-gate.ts'
import { sign } from './signature.ts'
import { checksPolicy, policyToken } from './signed-policy.ts'

class SharedParameter extends SluiceError {
  constructor(name: string) {
    super('SHARED_PARAMETER', 409, `the signature and the signed policy both read '${name}': rename one of them`)
  }
}

/** A session that is to be let in. */
type Session = {
  /** The name of the protocol's plugin. */
  readonly protocol: string
  readonly action: SessionAction
  readonly streamPath: string
  /** The end of the permission, in Unix seconds. */
  readonly expirySeconds: number
}

/**
 * The parameters of a query that pass the gates of signature and signed policy, as far as these are on for the session.
 * @throws {SharedParameter} when both read one parameter, which can't be right for both
 */
export function signedQuery(config: Readonly<InheritedConfig>, session: Session): Readonly<Record<string, string>> {
  const { protocol, action, streamPath, expirySeconds } = session
  const query = new Map<string, string>()
  const set = (name: string, value: string) => {
    if (query.has(name)) throw new SharedParameter(name)
    query.set(name, value)
  }
  if (checksSignature(config, action)) {
    const names = signatureNames(config, action)
    const expire = expirySeconds.toString(16)
    set(names.secret, sign(keyOf(config, action), streamPath, expire))
    set(names.expire, expire)
  }
  if (checksPolicy(config, action, protocol)) {
    const { secret, token_query: tokenName, expire_query: expireName } = config.signed_policy
    const expire = String(expirySeconds)
    set(tokenName, policyToken(secret, { protocol, action, streamPath, expire }))
    set(expireName, expire)
  }
  return Object.fromEntries(query)
}
