/** Most paths that are remembered: whoever publishes chooses them. */
const MAX_PATHS = 100

/** The paths that were refused last. */
export class RefusedPaths {
  readonly #paths = new Set<string>()

  add(path: string): void {
    // One that is there already becomes the latest.
    this.#paths.delete(path)
    this.#paths.add(path)
    const [oldest] = this.#paths
    if (this.#paths.size > MAX_PATHS && oldest !== undefined) this.#paths.delete(oldest)
  }

  /** The latest first. */
  list(): readonly string[] {
    return [...this.#paths].toReversed()
  }
}
