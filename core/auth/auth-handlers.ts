import type { StreamAuthHandler } from 'sluice/sdk'

/** The custom auth handlers that plugins have set, of which the latest holds. */
export class AuthHandlers {
  readonly #entries: { readonly owner: object; readonly handler: StreamAuthHandler }[] = []

  /** The handler that holds at present, if any. */
  get current(): StreamAuthHandler | undefined {
    return this.#entries.at(-1)?.handler
  }

  /** Sets an owner's handler in place of the one it set before; `null` removes it. */
  set(owner: object, handler: StreamAuthHandler | null): void {
    this.removeOwner(owner)
    if (handler !== null) this.#entries.push({ owner, handler })
  }

  /** The owner is gone: what was there before its handler holds again. */
  removeOwner(owner: object): void {
    const index = this.#entries.findIndex((entry) => entry.owner === owner)
    if (index >= 0) this.#entries.splice(index, 1)
  }
}
