import {
  StreamUnavailable,
  type InheritedConfig,
  type SessionAction,
  type SessionRequest,
  type StreamAuthHandler,
} from 'sluice/sdk'
import type { Logger } from 'pino'
import { AdmissionGate } from './admission-webhook.ts'
import { AuthHandlers, type HandlerOwner } from './auth-handlers.ts'
import { WebhookClient } from 'sluice/sdk/http'
import { GateMeters } from './gate-meters.ts'
import { GateChain, type Admitted, type Gate, type GateChains } from './gate.ts'
import { covers } from './gate-filter.ts'
import { checksSignature, keyOf, SignatureGate } from './signature-gate.ts'
import { checksPolicy, SignedPolicyGate } from './signed-policy.ts'
import type { StreamOwner } from './stream-owner.ts'

/** The config that the gates read: always the newest, even for an older generation of a plugin. */
export interface GateConfig {
  readonly global: Readonly<InheritedConfig>
  /** The reason why a part of the config, in which gates may be on, is not known. */
  readonly incomplete?: string | undefined
  /** The names of the plugins that have a section. */
  readonly declared: readonly string[]
  /** The section of a plugin; undefined once the plugin was removed. */
  section(plugin: string): { readonly enabled: boolean; readonly values: Readonly<InheritedConfig> } | undefined
}

type GatekeeperOptions = {
  readonly log: Logger
  readonly config: GateConfig
  readonly meters?: GateMeters
  /** The wall clock; injected by tests. */
  readonly nowMs?: () => number
}

/** The gates of a plugin, and the config that they were made from. */
type Rules = { readonly config: Readonly<InheritedConfig>; readonly chains: GateChains }

/** Admits or denies publishers and players: runs the gates that are on, in order (spec.md, What the service does). */
export class Gatekeeper {
  readonly #log: Logger
  readonly #config: GateConfig
  readonly #nowMs: () => number
  readonly #meters: GateMeters
  readonly #handlers = new AuthHandlers()
  readonly #openings = new WebhookClient()
  readonly #closings = new WebhookClient()
  readonly #notices = new Set<Promise<void>>()
  readonly #warned = new Set<string>()
  /** The rules last used for each plugin, by its name. */
  readonly #rules = new Map<string, Rules>()

  constructor({ log, config, meters = new GateMeters(), nowMs = Date.now }: GatekeeperOptions) {
    this.#log = log
    this.#config = config
    this.#nowMs = nowMs
    this.#meters = meters
  }

  /** The gates that hold for a plugin's sessions now; made anew only when its config has changed. */
  chainsOf(plugin: string): GateChains {
    return this.#rulesOf(plugin).chains
  }

  /** @throws {TypeError} when the handler is neither a function nor empty */
  setHandler(owner: HandlerOwner, handler: StreamAuthHandler | null): void {
    this.#handlers.set(owner, handler)
    this.#warnOfHandler()
  }

  removeHandler(owner: HandlerOwner): void {
    this.#handlers.removeOwner(owner)
  }

  /**
   * Passes a request for a new session through the gates. The present config holds, also for connections that a generation
   * accepted before the config changed.
   * @throws {StreamDenied} when a gate denies
   * @throws {StreamUnavailable} when the plugin was switched off or removed, and the connection is left from before, or when
   * gates may be on that are not known
   */
  async admit(request: SessionRequest, owner: StreamOwner): Promise<Admitted> {
    const { plugin } = owner
    if (request.type === 'server') this.#checkEnabled(plugin)
    return this.chainsOf(plugin)[request.action].admit(request, owner)
  }

  /**
   * Passes a further request of an admitted session through the gates that look at its query.
   * @throws {StreamDenied} when a gate denies
   */
  async authenticate(request: SessionRequest, owner: StreamOwner): Promise<void> {
    await this.chainsOf(owner.plugin).playAuth.admit(request, owner)
  }

  /** Waits for the notices under way, for `deadlineMs` milliseconds at most, and closes the clients. */
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

  #checkEnabled(plugin: string): void {
    if (this.#config.incomplete !== undefined) throw new StreamUnavailable(this.#config.incomplete)
    const section = this.#config.section(plugin)
    if (section === undefined) throw new StreamUnavailable(`plugin '${plugin}' was removed`)
    if (!section.enabled) throw new StreamUnavailable(`plugin '${plugin}' is switched off`)
  }

  #rulesOf(plugin: string): Rules {
    const known = this.#rules.get(plugin)
    // The last config of a removed plugin holds for the sessions that it has still.
    const config = this.#config.section(plugin)?.values ?? known?.config ?? this.#config.global
    if (known?.config === config) return known
    const play = this.#gates(plugin, config, 'play')
    const playAuth = play.filter((gate) => !(gate instanceof AdmissionGate))
    const chains = {
      publish: new GateChain(this.#gates(plugin, config, 'publish'), this.#meters),
      play: new GateChain(play, this.#meters),
      playAuth: new GateChain(playAuth, this.#meters),
    }
    const rules = { config, chains }
    this.#rules.set(plugin, rules)
    this.#warnOfHandler()
    return rules
  }

  #gates(plugin: string, config: Readonly<InheritedConfig>, action: SessionAction): Gate[] {
    const { signed_policy: policy, admission_webhook: webhook } = config
    const gates: Gate[] = []
    if (checksSignature(config, action)) {
      gates.push(new SignatureGate({ config, action, handler: () => this.#handlers.current, nowMs: this.#nowMs }))
    }
    if (checksPolicy(config, action, plugin)) {
      gates.push(new SignedPolicyGate(policy, this.#nowMs))
    }
    if (webhook.enable && webhook.url !== '' && covers(webhook, action, plugin)) {
      const track = (notice: Promise<void>) => this.#track(notice)
      const clients = { openings: this.#openings, closings: this.#closings }
      const configAtEnd = () => this.#rulesOf(plugin).config.admission_webhook
      gates.push(new AdmissionGate({ config: webhook, configAtEnd, ...clients, track, meters: this.#meters }))
    }
    return gates
  }

  #track(notice: Promise<void>): void {
    this.#notices.add(notice)
    void notice.finally(() => this.#notices.delete(notice))
  }

  // The spec, read literally, asks a handler only where the signature would be checked, which is easy to miss.
  #warnOfHandler(): void {
    if (this.#handlers.current === undefined) return
    const sections = this.#config.declared.flatMap((plugin) => this.#config.section(plugin) ?? [])
    const configs = sections.filter(({ enabled }) => enabled).map(({ values }) => values)
    for (const action of ['publish', 'play'] as const) {
      const group = action === 'publish' ? 'publish' : 'subscribe'
      if (configs.every((config) => config.enableauth && keyOf(config, action) !== '')) continue
      this.#warn(
        `a custom auth handler is set, but not asked about ${action} sessions where enableauth is off or ${group}.key ` +
          'is empty',
      )
    }
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.#log.warn(message)
  }
}
