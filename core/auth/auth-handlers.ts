import type { StreamAuthHandler } from 'sluice/sdk'
import { OverrideStack } from '../base/override-stack.ts'

/** The owner of a handler: one generation of a plugin. Known by identity. */
export type HandlerOwner = { readonly plugin: string }

/**
 * The custom auth handlers that plugins have set. The handler of the plugin that was the last to set its first one holds: a
 * plugin keeps its place when it sets another, or is loaded anew.
 */
export class AuthHandlers {
  readonly #handlers = new OverrideStack<StreamAuthHandler>()

  /** The handler that holds at present, if any. */
  get current(): StreamAuthHandler | undefined {
    return this.#handlers.values.at(-1)
  }

  /**
   * Sets an owner's handler in place of the one it set before; an empty value removes it.
   * @throws {TypeError} when it is neither a function nor empty; the handler that was set before stays
   */
  set(owner: HandlerOwner, handler: StreamAuthHandler | null | undefined): void {
    const empty = handler === null || handler === undefined || (handler as unknown) === ''
    if (!empty && typeof handler !== 'function') throw new TypeError('a stream auth handler must be a function or null')
    if (empty) this.removeOwner(owner)
    else this.#handlers.set(owner.plugin, owner, handler)
  }

  /** Removes the owner's handler; the one that was there before holds again. */
  removeOwner(owner: HandlerOwner): void {
    this.#handlers.removeOwner(owner)
  }
}
