import { createHmac } from 'node:crypto'
import {
  StreamDenied,
  type InheritedConfig,
  type SessionAction,
  type SessionRequest,
  type SignedPolicyConfig,
} from 'sluice/sdk'
import type { Admission, Gate } from './gate.ts'
import { covers } from './gate-filter.ts'
import { equalInConstantTime, parseExpiry } from './signature.ts'

/** The version tag at the head of the canonical string (spec.md, Versioning). */
const VERSION = 'v1'

/** The values that a token binds. */
export type PolicyClaims = {
  /** The protocol's plugin name. */
  readonly protocol: string
  readonly action: SessionAction
  /** The path without query, as originally requested. */
  readonly streamPath: string
  /** The expiry in decimal Unix seconds, as sent. */
  readonly expire: string
}

/** True when sessions of a protocol and a direction need a token. */
export function checksPolicy(
  { signed_policy: policy }: Readonly<InheritedConfig>,
  action: SessionAction,
  protocol: string,
): boolean {
  return policy.enable && policy.secret !== '' && covers(policy, action, protocol)
}

/** The token of a claim: lower-case hex of HMAC-SHA256 over the canonical string (spec.md, Signed Policy, rules 1 and 2). */
export function policyToken(secret: string, { protocol, action, streamPath, expire }: PolicyClaims): string {
  return createHmac('sha256', secret).update([VERSION, protocol, action, streamPath, expire].join('\n')).digest('hex')
}

/** Gate 2: an HMAC over protocol, action, path and expiry. */
export class SignedPolicyGate implements Gate {
  readonly name = 'signed_policy'
  readonly #config: Readonly<SignedPolicyConfig>
  readonly #nowMs: () => number

  constructor(config: Readonly<SignedPolicyConfig>, nowMs: () => number) {
    this.#config = config
    this.#nowMs = nowMs
  }

  async check(request: SessionRequest): Promise<Admission | undefined> {
    const fault = this.#fault(request)
    if (fault !== undefined) throw new StreamDenied(`signed policy: ${fault}`)
    return undefined
  }

  #fault({ protocol, action, streamPath, params }: SessionRequest): string | undefined {
    const { secret, token_query: tokenName, expire_query: expireName } = this.#config
    const token = params[tokenName]
    const expire = params[expireName]
    if (token === undefined || expire === undefined) return 'the token or its expiry is missing'
    const expiry = parseExpiry(expire, 'decimal')
    if (expiry === undefined) return 'the expiry is not a decimal time'
    if (Math.floor(this.#nowMs() / 1000) > expiry) return 'the token has expired'
    const expected = policyToken(secret, { protocol, action, streamPath, expire })
    return equalInConstantTime(token, expected) ? undefined : 'the token is wrong'
  }
}
