/** The first path segments of administration. */
export const ADMIN_MOUNTS: ReadonlySet<string> = new Set(['api', 'config', 'metrics', 'v6'])
/**
 * The prefixes that a plugin may have, and below which every plugin may have absolute paths; these come first, and so do
 * those of the server.
 */
export const SHARED_MOUNTS: ReadonlySet<string> = new Set(['debug', 'monitor'])
/** The start of paths that belong to the server's administration below any prefix of a plugin, where it has such a route. */
export const SHARED_PATH = '/api/secret/'
/** The first path segments that are the core's own. */
const RESERVED = new Set(['assets', 'favicon.ico', 'healthz', 'readyz', ...ADMIN_MOUNTS])
/** A prefix; the empty one is that of the server's root, `/`. */
const MOUNT = /^(?:[a-z0-9][a-z0-9._-]*)?$/

/** The prefixes that a plugin wants. */
export type Mounts = { readonly name: string; readonly mounts: readonly string[] }
/** One generation of a plugin; its id is different from that of any other generation. */
export type Mounted = Mounts & { readonly id: number }

/** Maps prefixes to plugins, and plugins to the generation that answers. */
export class MountTable<Generation extends Mounted> {
  readonly #generations = new Set<Generation>()
  /** The generations that were activated, the latest last. */
  #activated: readonly Generation[] = []
  /** The latest generation of each plugin. */
  readonly #active = new Map<string, Generation>()
  /** The generations that answer for their sessions alone, by id. */
  readonly #retired = new Map<number, Generation>()

  /** @throws {Error} when a prefix is malformed, the core's, or another plugin's */
  claim(generation: Generation): void {
    for (const mount of generation.mounts) this.#check(generation.name, mount)
    this.#generations.add(generation)
  }

  /** Makes this generation answer for its plugin from now on. */
  activate(generation: Generation): void {
    this.#activated = [...this.#activated, generation]
    this.#active.set(generation.name, generation)
  }

  /** Makes this generation answer for its sessions alone from now on. */
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

  /** The generations that answer for their plugins. */
  active(): Generation[] {
    return [...this.#active.values()]
  }

  /** True when some generation answers for its sessions alone. */
  get hasRetired(): boolean {
    return this.#retired.size > 0
  }

  /** A generation that answers for its sessions alone. */
  retired(id: number): Generation | undefined {
    return this.#retired.get(id)
  }

  /** The name of the plugin that a prefix belongs to, even if the plugin does not answer yet. */
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
