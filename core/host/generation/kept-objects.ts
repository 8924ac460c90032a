/** The objects that the generations of one plugin share, by name. */
export class KeptObjects {
  readonly #objects = new Map<string, object>()

  /** See `PluginContext.keep`. */
  keep<Kept extends object>(name: string, create: () => Kept): Kept {
    // The type of an object is up to the plugin.
    const known = this.#objects.get(name) as Kept | undefined
    if (known !== undefined) return known
    const created = create()
    this.#objects.set(name, created)
    return created
  }
}
