import type { InheritedConfig, SessionAction, SessionRequest, StreamAuthHandler } from 'sluice/sdk'
import type { Logger } from 'pino'
import { OverrideStack } from '../base/override-stack.ts'
import type { StreamOwner } from './stream-owner.ts'
import { AdmissionGate } from './admission-webhook.ts'
import { AuthHandlers, type HandlerOwner } from './auth-handlers.ts'
import { ControlClient } from './control-client.ts'
import type { Gate, GateChain } from './gate.ts'
import { SignatureGate, keyOf } from './signature-gate.ts'
import { SignedPolicyGate } from './signed-policy.ts'

/** What the gates say of a session that may go on. */
export type Passage = {
  /** The request, with the path a gate may have rewritten. */
  readonly request: SessionRequest
  readonly lifetimeMs: number | undefined
  /** To be told once the session has ended, or could not begin. */
  readonly onEnd: readonly (() => void)[]
}

type GatekeeperOptions = {
  readonly log: Logger
  /** The wall clock; injected by tests. */
  readonly nowMs?: () => number
}

type Rules = { readonly config: Readonly<InheritedConfig>; readonly chain: GateChain }

/** Decides who may publish and play: runs the gates that are on, in order (spec.md, What the service does). */
export class Gatekeeper {
  readonly #log: Logger
  readonly #nowMs: () => number
  readonly #handlers = new AuthHandlers()
  readonly #openings = new ControlClient()
  readonly #closings = new ControlClient()
  readonly #notices = new Set<Promise<void>>()
  readonly #warned = new Set<string>()
  /** Of each plugin, as its newest config has them. */
  readonly #rules = new OverrideStack<Rules>()

  constructor({ log, nowMs = Date.now }: GatekeeperOptions) {
    this.#log = log
    this.#nowMs = nowMs
  }

  /** The gates that hold for a plugin's sessions; made when its config changes, not per request. */
  chainFor(owner: StreamOwner, config = owner.config): GateChain {
    const play = this.#gates(owner, config, 'play')
    const playAuth = play.filter((gate) => !(gate instanceof AdmissionGate))
    const chain = { publish: this.#gates(owner, config, 'publish'), play, playAuth }
    this.#rules.set(owner.plugin, owner, { config, chain })
    this.#warnOf(config)
    this.#warnOfHandler()
    return chain
  }

  /** The chain last made for a plugin, whichever of its generations asks. */
  newestChain(plugin: string): GateChain | undefined {
    return this.#rules.get(plugin)?.chain
  }

  /** @throws {TypeError} when the handler is neither a function nor empty */
  setHandler(owner: HandlerOwner, handler: StreamAuthHandler | null): void {
    this.#handlers.set(owner, handler)
    this.#warnOfHandler()
  }

  removeHandler(owner: HandlerOwner): void {
    this.#handlers.removeOwner(owner)
  }

  /** Its sessions have ended, and it makes no more. */
  removeOwner(owner: StreamOwner): void {
    this.removeHandler(owner)
    this.#rules.removeOwner(owner)
  }

  /**
   * Leads a request through a chain; the server's own sessions are exempt.
   * @throws {StreamDenied}
   */
  async admit(request: SessionRequest, chain: GateChain): Promise<Passage> {
    const gates = chain[request.action]
    if (gates.length === 0 || request.type !== 'server') return { request, lifetimeMs: undefined, onEnd: [] }
    let passing = request
    let lifetimeMs: number | undefined
    const onEnd: (() => void)[] = []
    for (const gate of gates) {
      const admission = await gate.check(request)
      if (admission?.streamPath !== undefined) passing = { ...passing, streamPath: admission.streamPath }
      lifetimeMs = admission?.lifetimeMs ?? lifetimeMs
      if (admission?.onEnd !== undefined) onEnd.push(admission.onEnd)
    }
    return { request: passing, lifetimeMs, onEnd }
  }

  /**
   * Leads a request of a session that was admitted before through the gates that look at its query.
   * @throws {StreamDenied}
   */
  async authenticate(request: SessionRequest, { playAuth }: GateChain): Promise<void> {
    if (request.type !== 'server') return
    for (const gate of playAuth) await gate.check(request)
  }

  /** Waits for the notices under way, as long as the server's stop can. */
  async close(deadlineMs: number): Promise<void> {
    const { promise: deadline, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, deadlineMs)
    await Promise.race([this.#noticesSent(), deadline])
    clearTimeout(timer)
    this.#openings.close()
    this.#closings.close()
  }

  async #noticesSent(): Promise<void> {
    while (this.#notices.size > 0) await Promise.all(this.#notices)
  }

  #gates({ plugin, closingNotice, log }: StreamOwner, config: StreamOwner['config'], action: SessionAction): Gate[] {
    const { signed_policy: policy, admission_webhook: webhook } = config
    const gates: Gate[] = []
    if (config.enableauth && keyOf(config, action) !== '') {
      gates.push(new SignatureGate({ config, action, handler: () => this.#handlers.current, nowMs: this.#nowMs }))
    }
    if (policy.enable && policy.secret !== '' && covers(policy, action, plugin)) {
      gates.push(new SignedPolicyGate(policy, this.#nowMs))
    }
    if (webhook.enable && webhook.url !== '' && covers(webhook, action, plugin)) {
      const track = (notice: Promise<void>) => this.#track(notice)
      const clients = { openings: this.#openings, closings: this.#closings }
      const configAtEnd = () => (this.#rules.get(plugin)?.config ?? config).admission_webhook
      gates.push(new AdmissionGate({ config: webhook, configAtEnd, closingNotice, ...clients, log, track }))
    }
    return gates
  }

  #track(notice: Promise<void>): void {
    this.#notices.add(notice)
    void notice.finally(() => this.#notices.delete(notice))
  }

  #warnOf(config: Readonly<InheritedConfig>): void {
    const { signed_policy: policy, admission_webhook: webhook } = config
    if (policy.enable && policy.secret === '')
      this.#warn('signed_policy.enable has no effect without signed_policy.secret')
    if (webhook.enable && webhook.url === '')
      this.#warn('admission_webhook.enable has no effect without admission_webhook.url')
    if (config.enableauth && policy.enable && policy.secret !== '') this.#warnOfSharedName(config)
  }

  // Read literally, the spec asks a handler only where the signature would be checked, which is easy to miss.
  #warnOfHandler(): void {
    if (this.#handlers.current === undefined) return
    for (const action of ['publish', 'play'] as const) {
      const group = action === 'publish' ? 'publish' : 'subscribe'
      if (this.#rules.values.every(({ config }) => config.enableauth && keyOf(config, action) !== '')) continue
      this.#warn(
        `a custom auth handler is set, but not asked about ${action} sessions where enableauth is off or ${group}.key ` +
          'is empty',
      )
    }
  }

  // The signature's expiry is hexadecimal and the policy's decimal: under one name, one of them can't be right.
  #warnOfSharedName(config: Readonly<InheritedConfig>): void {
    const { publish, subscribe, expireargname, signed_policy: policy } = config
    const names = [publish, subscribe]
      .filter(({ key }) => key !== '')
      .map((group) => group.expireargname || expireargname)
    if (!names.includes(policy.expire_query)) return
    this.#warn(
      `both the signature and the signed policy read their expiry from "${policy.expire_query}", one in hexadecimal and ` +
        'one in decimal: rename signed_policy.expire_query or expireargname',
    )
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.#log.warn(message)
  }
}

type Filter = { readonly actions: readonly SessionAction[]; readonly protocols: readonly string[] }

function covers({ actions, protocols }: Filter, action: SessionAction, protocol: string): boolean {
  // A list that was left empty must not open a gate.
  return (actions.length === 0 || actions.includes(action)) && (protocols.length === 0 || protocols.includes(protocol))
}
