/** The reasons for which the server is not ready, as its parts and plugins know them. */
export class Readiness {
  readonly #checks = new Set<{ readonly name: string; readonly isWell: () => boolean }>()

  /** Adds a reason that holds while `isWell` returns false. @returns a function that removes it */
  add(name: string, isWell: () => boolean): () => void {
    const check = { name, isWell }
    this.#checks.add(check)
    return () => void this.#checks.delete(check)
  }

  /** The names of the reasons that hold at present. */
  get missing(): string[] {
    return [...this.#checks].flatMap(({ name, isWell }) => (isWell() ? [] : [name]))
  }
}
