import type { Logger } from 'pino'
import { StreamDenied } from '../errors/stream-errors.ts'
import type { HookRegistry, Hooks } from '../plugin/hooks.ts'
import type { SessionRequest } from '../stream/session-request.ts'

/** The hooks that only tell what happened. */
export type NoticeName = Exclude<keyof Hooks, 'publish' | 'subscribe' | 'resolve'>

type AnyHook = (...args: readonly unknown[]) => unknown

/** Hooks that a test can fire. `FakeStreams` fires them, too, when sessions come and go; there are no deadlines. */
export class FakeHooks implements HookRegistry {
  readonly #taps = new Map<keyof Hooks, AnyHook[]>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  on<Name extends keyof Hooks>(name: Name, hook: Hooks[Name]): () => void {
    const tap = (...args: readonly unknown[]): unknown => Reflect.apply(hook, undefined, args)
    this.#taps.set(name, [...this.#tapsOf(name), tap])
    return () => {
      const others = this.#tapsOf(name).filter((other) => other !== tap)
      this.#taps.set(name, others)
    }
  }

  /** How many tap a hook. */
  count(name: keyof Hooks): number {
    return this.#tapsOf(name).length
  }

  /**
   * Fires an admission hook: in order, up to the first that refuses.
   * @throws {StreamDenied} with what that hook threw as its cause
   */
  async admit(name: 'publish' | 'subscribe', request: SessionRequest): Promise<void> {
    try {
      for (const hook of this.#tapsOf(name)) await hook(request)
    } catch (error) {
      throw error instanceof StreamDenied ? error : new StreamDenied(error)
    }
  }

  /** Fires `resolve`: in order, until one says that it will publish the path. What is thrown is logged. */
  async resolve(request: SessionRequest): Promise<boolean> {
    for (const hook of this.#tapsOf('resolve')) {
      if ((await this.#logged('resolve', () => hook(request))) === true) return true
    }
    return false
  }

  /** Fires a notice: all are told. What is thrown is logged. Resolves when all are done. */
  async notify<Name extends NoticeName>(name: Name, ...args: Parameters<Hooks[Name]>): Promise<void> {
    await Promise.all(this.#tapsOf(name).map((hook) => this.#logged(name, () => hook(...args))))
  }

  /** Takes all taps back. */
  dispose(): void {
    this.#taps.clear()
  }

  #tapsOf(name: keyof Hooks): readonly AnyHook[] {
    return this.#taps.get(name) ?? []
  }

  async #logged(name: keyof Hooks, hook: () => unknown): Promise<unknown> {
    try {
      return await hook()
    } catch (error) {
      this.#log.error({ err: error, hook: name }, 'a hook failed')
      return undefined
    }
  }
}
