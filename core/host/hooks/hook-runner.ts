import { SluiceError, StreamDenied, type HookRegistry, type Hooks, type SessionRequest } from 'sluice/sdk'
import type { Logger } from 'pino'
import { isPromiseLike, withDeadline } from '../../base/deadline.ts'
import { failureText } from '../../auth/denial.ts'
import { isMistake, stackFrames } from '../../base/mistake.ts'
import { callPlugin } from '../error-owner.ts'
import { guard } from '../../base/guard.ts'
import { PluginError } from '../plugin-error.ts'

/** An admission or resolve hook that takes longer counts as a refusal. */
const HOOK_TIMEOUT_MS = 5000

/** One generation of a plugin, which taps hooks; known by identity. */
export type HookOwner = {
  readonly plugin: string
  readonly log: Logger
}

/** The hooks that may refuse. */
export type AdmissionName = 'publish' | 'subscribe'
/** The hooks that are only told. */
export type NoticeName = Exclude<keyof Hooks, AdmissionName | 'resolve'>

type Tap<Name extends keyof Hooks> = { readonly owner: HookOwner; readonly hook: Hooks[Name] }

/** Runs the hooks that plugins have tapped; the kind of each is told in `Hooks`. */
export class HookRunner {
  // The lists are replaced and not changed, so a hook may tap and untap while it runs.
  readonly #taps = new Map<keyof Hooks, readonly Tap<keyof Hooks>[]>()
  readonly #timeoutMs: number

  constructor(options: { readonly timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? HOOK_TIMEOUT_MS
  }

  registryFor(owner: HookOwner): HookRegistry {
    return { on: (name, hook) => this.#tap(name, { owner, hook }) }
  }

  /** Removes all that the owner tapped. */
  removeOwner(owner: HookOwner): void {
    for (const name of this.#taps.keys()) this.#keep(name, (tap) => tap.owner !== owner)
  }

  isTapped(name: keyof Hooks): boolean {
    return this.#tapsOf(name).length > 0
  }

  /**
   * Asks the admission hooks in order, until one refuses. A hook that fails, by a mistake in its code or by taking too
   * long, refuses as well, and that is logged as its plugin's failure.
   * @throws {SluiceError} that a hook has thrown, as it is, so that a hook can refuse with another status than 401
   * @throws {StreamDenied} for all else that hooks throw, with the reason, which names the plugin, as its cause
   */
  async admit(name: AdmissionName, request: SessionRequest): Promise<void> {
    for (const { owner, hook } of this.#tapsOf(name)) {
      try {
        const answer = callPlugin(owner.plugin, () => hook(request))
        await this.#bounded(answer, name)
      } catch (cause) {
        if (isFailure(cause)) logFailure(owner, name, request, cause)
        if (isRefusalWithStatus(cause)) throw cause
        throw new StreamDenied(new PluginError(`the ${name} hook of plugin '${owner.plugin}' refused`, { cause }))
      }
    }
  }

  /** Asks the resolve hooks in order, until one will publish the path. A hook that fails counts as one that won't. */
  async resolve(request: SessionRequest): Promise<boolean> {
    for (const { owner, hook } of this.#tapsOf('resolve')) {
      try {
        const answer = callPlugin(owner.plugin, () => hook(request))
        if (await this.#bounded(answer, 'resolve')) return true
      } catch (err) {
        logFailure(owner, 'resolve', request, err)
      }
    }
    return false
  }

  /** Tells all who tapped a notice; never throws and waits for nobody. */
  notify<Name extends NoticeName>(name: Name, ...args: Parameters<Hooks[Name]>): void {
    for (const { owner, hook } of this.#tapsOf(name)) {
      // TypeScript can't relate the arguments of a notice to its hook; the signature above does.
      const call = () => (hook as (...args: unknown[]) => unknown)(...args)
      guard(owner.log, `${name} hook`, () => callPlugin(owner.plugin, call))
    }
  }

  #tap<Name extends keyof Hooks>(name: Name, tap: Tap<Name>): () => void {
    this.#taps.set(name, [...this.#tapsOf(name), tap])
    return () => this.#keep(name, (other) => other !== tap)
  }

  #keep(name: keyof Hooks, wanted: (tap: Tap<keyof Hooks>) => boolean): void {
    this.#taps.set(name, this.#tapsOf(name).filter(wanted))
  }

  #tapsOf<Name extends keyof Hooks>(name: Name): readonly Tap<Name>[] {
    // What is kept under a name was tapped under it.
    return (this.#taps.get(name) ?? []) as readonly Tap<Name>[]
  }

  #bounded<T>(result: T | Promise<T>, name: string): T | Promise<T> {
    if (!isPromiseLike(result)) return result
    const late = () => new PluginError(`the ${name} hook did not settle within ${this.#timeoutMs} ms`)
    return withDeadline(result, this.#timeoutMs, late)
  }
}

/** Whether a hook has failed, and not refused: a plain `Error` is how a plugin refuses. */
function isFailure(error: unknown): boolean {
  return error instanceof PluginError || isMistake(error)
}

/** A hook that throws `StreamDenied` is treated as by any other refusal, so that the log names its plugin. */
function isRefusalWithStatus(error: unknown): boolean {
  return error instanceof SluiceError && !(error instanceof PluginError) && !(error instanceof StreamDenied)
}

/** The stack is logged without its message, which may quote what the client sent. */
function logFailure({ log }: HookOwner, name: keyof Hooks, request: SessionRequest, error: unknown): void {
  const reason = failureText(error, request)
  const stack = error instanceof Error ? stackFrames(error).join('\n') : undefined
  log.error({ stream: request.streamPath, reason, stack }, `${name} hook failed`)
}
