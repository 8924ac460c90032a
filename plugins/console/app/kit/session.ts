const STORAGE_KEY = 'sluice.console.token'

/** The token of the user, kept in the browser until it ends. A token of the server's own form tells no more than the name. */
class Session {
  #token = readStored()
  readonly #listeners = new Set<() => void>()

  /** Undefined before the login, and while login is off. */
  get token(): string | undefined {
    return this.#token
  }

  set token(token: string | undefined) {
    if (token === this.#token) return
    this.#token = token
    try {
      if (token === undefined) localStorage.removeItem(STORAGE_KEY)
      else localStorage.setItem(STORAGE_KEY, token)
    } catch {
      // A browser that keeps nothing asks for the login again.
    }
    for (const listener of this.#listeners) listener()
  }

  /** @returns a function that ends it */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function readStored(): string | undefined {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? undefined
  } catch {
    return undefined
  }
}

export const session = new Session()
