type Entry<Value> = { readonly owner: object; readonly value: Value }

/**
 * The values that the generations of plugins have set, by name. Of each name, the value that was set last counts; when its
 * owner goes, the value that another generation had set before holds again. Owners are known by identity.
 */
export class OverrideStack<Value> {
  // A name keeps its place among the others, also while nothing is set.
  readonly #entries = new Map<string, readonly Entry<Value>[]>()

  /** Sets a value, in place of the one that the owner set before. */
  set(name: string, owner: object, value: Value): void {
    const others = this.#entries.get(name)?.filter((entry) => entry.owner !== owner) ?? []
    this.#entries.set(name, [...others, { owner, value }])
  }

  /** The value that counts under a name, if any. */
  get(name: string): Value | undefined {
    return this.#entries.get(name)?.at(-1)?.value
  }

  /** The values that count, in the order in which their names were first used. */
  get values(): readonly Value[] {
    return [...this.#entries.values()].flatMap((entries) => entries.slice(-1).map(({ value }) => value))
  }

  removeOwner(owner: object): void {
    for (const [name, entries] of this.#entries) {
      const others = entries.filter((entry) => entry.owner !== owner)
      if (others.length < entries.length) this.#entries.set(name, others)
    }
  }
}
