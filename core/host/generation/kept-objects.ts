/** What the generations of one plugin have in common, by name. */
export class KeptObjects {
  readonly #objects = new Map<string, object>()

  /** See `PluginContext.keep`. */
  keep<Kept extends object>(name: string, create: () => Kept): Kept {
    // What lies there under a name is the plugin's own business.
    const known = this.#objects.get(name) as Kept | undefined
    if (known !== undefined) return known
    const created = create()
    this.#objects.set(name, created)
    return created
  }
}
