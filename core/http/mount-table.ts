/** First path segments of administration. */
export const ADMIN_MOUNTS: ReadonlySet<string> = new Set(['admin', 'api', 'config', 'metrics', 'v6'])
/** Prefixes that plugins may have, below which the paths of the server's own administration come first. */
export const SHARED_MOUNTS: ReadonlySet<string> = new Set(['debug', 'monitor'])
/** Below any prefix of a plugin, a path that begins so is one of the server's administration, where it has one. */
export const SHARED_PATH = '/api/secret/'
/** First path segments that are the core's own. */
const RESERVED = new Set(['assets', 'favicon.ico', 'healthz', 'readyz', ...ADMIN_MOUNTS])
/** The empty prefix is that of the server's root, `/`. */
const MOUNT = /^(?:[a-z0-9][a-z0-9._-]*)?$/

/** The prefixes that a plugin wants. */
export type Mounts = { readonly name: string; readonly mounts: readonly string[] }
/** One generation of a plugin; its id is another than that of any other generation. */
export type Mounted = Mounts & { readonly id: number }

/** Which plugin has which prefix, and which generation of it answers. */
export class MountTable<Generation extends Mounted> {
  readonly #generations = new Set<Generation>()
  /** Those that were activated, the latest last. */
  #activated: readonly Generation[] = []
  /** The latest of each plugin. */
  readonly #active = new Map<string, Generation>()
  /** Those that answer for their sessions alone, by id. */
  readonly #retired = new Map<number, Generation>()

  /** @throws {Error} when a prefix is malformed, the core's, or another plugin's */
  claim(generation: Generation): void {
    for (const mount of generation.mounts) this.#check(generation.name, mount)
    this.#generations.add(generation)
  }

  /** From now on this generation answers for its plugin. */
  activate(generation: Generation): void {
    this.#activated = [...this.#activated, generation]
    this.#active.set(generation.name, generation)
  }

  /** From now on this generation answers for its sessions alone. */
  retire(generation: Generation): void {
    if (this.#retired.has(generation.id)) return
    const mayHaveSessions = this.#activated.includes(generation)
    this.drop(generation)
    if (mayHaveSessions) this.#retired.set(generation.id, generation)
  }

  /** Forgets a generation; if it answered, the one activated before it does again, where there still is one. */
  drop(generation: Generation): void {
    const { name, id } = generation
    this.#retired.delete(id)
    this.#generations.delete(generation)
    this.#activated = this.#activated.filter((other) => other !== generation)
    const latest = this.#activated.findLast((other) => other.name === name)
    if (latest === undefined) this.#active.delete(name)
    else this.#active.set(name, latest)
  }

  activeOf(name: string): Generation | undefined {
    return this.#active.get(name)
  }

  /** Those that answer for their plugins. */
  active(): Generation[] {
    return [...this.#active.values()]
  }

  /** Whether some generation answers for its sessions alone. */
  get hasRetired(): boolean {
    return this.#retired.size > 0
  }

  /** A generation that answers for its sessions alone. */
  retired(id: number): Generation | undefined {
    return this.#retired.get(id)
  }

  /** The name of the plugin a prefix belongs to, whether it answers already or not. */
  ownerOf(mount: string): string | undefined {
    for (const active of this.#active.values()) if (active.mounts.includes(mount)) return active.name
    return this.#generations.values().find(({ name, mounts }) => !this.#active.has(name) && mounts.includes(mount))
      ?.name
  }

  [Symbol.iterator](): Iterator<Generation> {
    return this.#generations.values()
  }

  #check(name: string, mount: string): void {
    const refuse = (why: string): Error => new Error(`${name}: can't serve /${mount}/: ${why}`)
    if (RESERVED.has(mount)) throw refuse('the prefix belongs to the server')
    if (!MOUNT.test(mount)) throw refuse('a prefix is one path segment of a–z, 0–9, dot, dash and underscore')
    const holder = this.#generations.values().find((other) => other.name !== name && other.mounts.includes(mount))
    if (holder) throw refuse(`the prefix belongs to the plugin ${holder.name}`)
  }
}
