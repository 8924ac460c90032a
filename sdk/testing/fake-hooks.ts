import type { Logger } from 'pino'
import { SluiceError } from '../errors/sluice-error.ts'
import { StreamDenied, StreamRedirect } from '../errors/stream-errors.ts'
import type { HookOrder, HookRegistry, Hooks, Lead, NoticeName, Resolution, Undo } from '../plugin/hooks.ts'
import type { AcceptedCodecs, SessionRequest } from '../stream/session-request.ts'
import type { StreamInfo } from '../stream/stream-info.ts'

type Tap = { readonly stage: number; readonly call: (...args: readonly unknown[]) => unknown }

/** Hooks that a test can fire. `FakeStreams` fires them, too, when sessions come and go; there are no deadlines. */
export class FakeHooks {
  readonly #taps = new Map<keyof Hooks, readonly Tap[]>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /** Returns the hooks for a plugin that sends these notices. */
  registryFor(notices: readonly string[] = []): HookRegistry {
    return {
      on: (name, hook, order) => this.on(name, hook, order),
      notify: (name, ...args) => {
        if (!notices.includes(name)) throw new Error(`the definition does not name the notice ${name} in notices`)
        void this.notify(name, ...args)
      },
    }
  }

  /** Taps a hook, as a test that listens along. */
  on<Name extends keyof Hooks>(name: Name, hook: Hooks[Name], { stage = 0 }: HookOrder = {}): () => void {
    const tap: Tap = { stage, call: (...args): unknown => Reflect.apply(hook, undefined, args) }
    const taps = [...this.#tapsOf(name), tap].toSorted((one, other) => one.stage - other.stage)
    this.#taps.set(name, taps)
    return () => {
      const others = this.#tapsOf(name).filter((other) => other !== tap)
      this.#taps.set(name, others)
    }
  }

  /** Returns the number of taps of a hook. */
  count(name: keyof Hooks): number {
    return this.#tapsOf(name).length
  }

  /**
   * Fires an admission hook: in order, up to the first that refuses.
   * @returns what takes back all that they have done for the session
   * @throws {SluiceError} that a hook has thrown
   * @throws {StreamDenied} with what a hook threw that is none as its cause
   */
  async admit(name: 'publish' | 'subscribe' | 'talk', request: SessionRequest): Promise<Undo> {
    const undos: unknown[] = []
    const undoAll = () => {
      for (const undo of undos.splice(0).toReversed()) this.#undo(name, undo)
    }
    try {
      for (const { call } of this.#tapsOf(name)) undos.push(await call(request))
    } catch (error) {
      undoAll()
      if (error instanceof StreamRedirect) throw error.withQuery(request.query)
      throw error instanceof SluiceError ? error : new StreamDenied(error)
    }
    return undoAll
  }

  /** Fires `lead`: in order, each tap with the request as the previous ones have led it. Errors are thrown on. */
  lead(request: SessionRequest): SessionRequest {
    // Hooks can be tapped under this name only with this type.
    const ask = (led: SessionRequest, { call }: Tap) => ({ ...led, ...(call(led) as Lead | undefined) })
    return this.#tapsOf('lead').reduce(ask, request)
  }

  /** Fires `resolve`: in order, until one answers otherwise than with false. Errors are logged. */
  async resolve(request: SessionRequest): Promise<Resolution> {
    for (const { call } of this.#tapsOf('resolve')) {
      const answer = await this.#logged('resolve', () => call(request))
      // Hooks can be tapped under this name only with this type.
      if (answer) return answer as Resolution
    }
    return false
  }

  /** Fires `adapt`: in order, until one answers with a path. Errors are logged. */
  async adapt(stream: StreamInfo, accepts: AcceptedCodecs): Promise<string | undefined> {
    for (const { call } of this.#tapsOf('adapt')) {
      const answer = await this.#logged('adapt', () => call(stream, accepts))
      if (typeof answer === 'string') return answer
    }
    return undefined
  }

  /** Fires a notice for all taps. Errors are logged. Resolves when all are done. */
  async notify<Name extends NoticeName>(name: Name, ...args: Parameters<Hooks[Name]>): Promise<void> {
    await Promise.all(this.#tapsOf(name).map(({ call }) => this.#logged(name, () => call(...args))))
  }

  /** Takes all taps back. */
  dispose(): void {
    this.#taps.clear()
  }

  #undo(name: keyof Hooks, undo: unknown): void {
    if (typeof undo === 'function') void this.#logged(name, () => Reflect.apply(undo, undefined, []))
  }

  #tapsOf(name: keyof Hooks): readonly Tap[] {
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
