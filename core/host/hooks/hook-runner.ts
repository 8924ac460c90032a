import { StreamDenied, type HookRegistry, type Hooks, type SessionRequest } from 'sluice/sdk'
import type { Logger } from 'pino'
import { isPromiseLike, withDeadline } from '../../base/deadline.ts'
import { callPlugin } from '../error-owner.ts'
import { guard } from '../../base/guard.ts'
import { PluginError } from '../plugin-error.ts'

/** An admission or resolve hook that takes longer counts as a refusal. */
const HOOK_TIMEOUT_MS = 5000

/** Who taps: one generation of a plugin. Known by identity. */
export type HookOwner = {
  readonly plugin: string
  readonly log: Logger
}

/** The hooks that may refuse. */
export type AdmissionName = 'publish' | 'subscribe'
/** The hooks that are only told. */
export type NoticeName = Exclude<keyof Hooks, AdmissionName | 'resolve'>

type Tap<Name extends keyof Hooks> = { readonly owner: HookOwner; readonly hook: Hooks[Name] }
type Taps = { [Name in keyof Hooks]: readonly Tap<Name>[] }

/** Runs the hooks that plugins have tapped; the kind of each is told in `Hooks`. */
export class HookRunner {
  // The lists are replaced and not changed, so a hook may tap and untap while it runs.
  readonly #taps: Taps = {
    publish: [],
    subscribe: [],
    resolve: [],
    published: [],
    unpublished: [],
    track: [],
    subscribed: [],
    unsubscribed: [],
  }
  readonly #timeoutMs: number

  constructor(options: { readonly timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? HOOK_TIMEOUT_MS
  }

  registryFor(owner: HookOwner): HookRegistry {
    return { on: (name, hook) => this.#tap(name, { owner, hook }) }
  }

  /** Removes all that the owner tapped. */
  removeOwner(owner: HookOwner): void {
    for (const name of Object.keys(this.#taps) as (keyof Hooks)[]) this.#keep(name, (tap) => tap.owner !== owner)
  }

  isTapped(name: keyof Hooks): boolean {
    return this.#taps[name].length > 0
  }

  /**
   * Asks the admission hooks in order, until one refuses.
   * @throws {StreamDenied} with the reason, which names the plugin, as its cause
   */
  async admit(name: AdmissionName, request: SessionRequest): Promise<void> {
    for (const { owner, hook } of this.#taps[name]) {
      try {
        const answer = callPlugin(owner.plugin, () => hook(request))
        await this.#bounded(answer, name)
      } catch (cause) {
        throw new StreamDenied(new PluginError(`the ${name} hook of plugin '${owner.plugin}' refused`, { cause }))
      }
    }
  }

  /** Asks the resolve hooks in order, until one will publish the path. A hook that fails counts as one that won't. */
  async resolve(request: SessionRequest): Promise<boolean> {
    for (const { owner, hook } of this.#taps.resolve) {
      try {
        const answer = callPlugin(owner.plugin, () => hook(request))
        if (await this.#bounded(answer, 'resolve')) return true
      } catch (err) {
        owner.log.error({ err, stream: request.streamPath }, 'resolve hook failed')
      }
    }
    return false
  }

  /** Tells all who tapped a notice; never throws and waits for nobody. */
  notify<Name extends NoticeName>(name: Name, ...args: Parameters<Hooks[Name]>): void {
    for (const { owner, hook } of this.#taps[name]) {
      // TypeScript can't relate the arguments of a notice to its hook; the signature above does.
      const call = () => (hook as (...args: unknown[]) => unknown)(...args)
      guard(owner.log, `${name} hook`, () => callPlugin(owner.plugin, call))
    }
  }

  #tap<Name extends keyof Hooks>(name: Name, tap: Tap<Name>): () => void {
    const taps: readonly Tap<Name>[] = this.#taps[name]
    Object.assign(this.#taps, { [name]: [...taps, tap] })
    return () => this.#keep(name, (other) => other !== tap)
  }

  #keep(name: keyof Hooks, wanted: (tap: Tap<keyof Hooks>) => boolean): void {
    const taps: readonly Tap<keyof Hooks>[] = this.#taps[name]
    Object.assign(this.#taps, { [name]: taps.filter(wanted) })
  }

  #bounded<T>(result: T | Promise<T>, name: string): T | Promise<T> {
    if (!isPromiseLike(result)) return result
    const late = () => new PluginError(`the ${name} hook did not settle within ${this.#timeoutMs} ms`)
    return withDeadline(result, this.#timeoutMs, late)
  }
}
