/** The most paths that are remembered, as publishers choose them freely. */
const MAX_PATHS = 100

/** The paths that were refused last. */
export class RefusedPaths {
  readonly #paths = new Set<string>()

  add(path: string): void {
    // A path that is there already becomes the latest.
    this.#paths.delete(path)
    this.#paths.add(path)
    const [oldest] = this.#paths
    if (this.#paths.size > MAX_PATHS && oldest !== undefined) this.#paths.delete(oldest)
  }

  /** Returns the paths, the latest first. */
  list(): readonly string[] {
    return [...this.#paths].toReversed()
  }
}
