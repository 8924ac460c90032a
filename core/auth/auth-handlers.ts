import type { StreamAuthHandler } from 'sluice/sdk'

/** The custom auth handlers that plugins have set, of which the latest holds. */
export class AuthHandlers {
  readonly #entries: { readonly owner: object; readonly handler: StreamAuthHandler }[] = []

  /** The handler that holds at present, if any. */
  get current(): StreamAuthHandler | undefined {
    return this.#entries.at(-1)?.handler
  }

  /**
   * Sets an owner's handler in place of the one it set before; an empty value removes it.
   * @throws {TypeError} when it is neither a function nor empty; what was set before goes on
   */
  set(owner: object, handler: StreamAuthHandler | null | undefined): void {
    const empty = handler === null || handler === undefined || (handler as unknown) === ''
    if (!empty && typeof handler !== 'function') throw new TypeError('a stream auth handler must be a function or null')
    this.removeOwner(owner)
    if (!empty) this.#entries.push({ owner, handler })
  }

  /** The owner is gone: what was there before its handler holds again. */
  removeOwner(owner: object): void {
    const index = this.#entries.findIndex((entry) => entry.owner === owner)
    if (index >= 0) this.#entries.splice(index, 1)
  }
}
