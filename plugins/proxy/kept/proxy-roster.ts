import { isDeepStrictEqual } from 'node:util'
import { StreamNotFound, StreamUnavailable } from 'sluice/sdk'
import type { Follower, KeptProxies } from './kept-proxies.ts'
import { ProxyExists, ProxyFixed } from './proxy-errors.ts'
import type { ProxySettings } from './proxy-settings.ts'
import type { ProxyTable } from './proxy-tables.ts'

/** The most proxies of a kind. */
const MAX_PROXIES = 10_000
/** The first id of the proxies that have none in the config file; they have no rows. */
export const FIRST_UNKEPT_ID = 2 ** 31

type RosterOptions<Settings extends ProxySettings> = {
  readonly kept: KeptProxies<Settings>
  readonly table: ProxyTable<Settings>
  /** The key that only one enabled proxy may have, and the message when another one has it. */
  readonly place: { of(settings: Settings): string; readonly taken: string }
}

/** The proxies of one kind, in memory as in the database. Changes are made one after another, first in the database, then in memory. */
export class ProxyRoster<Settings extends ProxySettings> {
  readonly #options: RosterOptions<Settings>
  readonly #kept: KeptProxies<Settings>
  #loading: Promise<void> | undefined

  constructor(options: RosterOptions<Settings>) {
    this.#options = options
    this.#kept = options.kept
  }

  /**
   * Adds the entries of the config file, once, which needs no database; an entry with an id takes the place of the row with that id.
   */
  begin(entries: () => readonly Settings[]): void {
    if (this.#kept.entries !== undefined) return
    this.#kept.entries = entries()
    for (const entry of this.#kept.entries) this.#set(this.#placed(entry))
  }

  /** Calls `follower` for all proxies, and for each change from now on. @returns a function that stops that */
  follow(follower: Follower<Settings>): () => void {
    this.#kept.followers.add(follower)
    for (const proxy of this.list()) follower(undefined, proxy)
    return () => void this.#kept.followers.delete(follower)
  }

  /**
   * Adds the proxies of the database, once.
   * @throws {StoreUnavailable} when there is no database
   */
  load(): Promise<void> {
    if (this.#kept.isLoaded) return Promise.resolve()
    this.#loading ??= this.#inTurn(async () => {}).finally(() => (this.#loading = undefined))
    return this.#loading
  }

  /** Returns the proxies in the order of their ids. */
  list(): Settings[] {
    return [...this.#kept.proxies.values()].toSorted((a, b) => a.id - b.id)
  }

  get(id: number): Settings | undefined {
    return this.#kept.proxies.get(id)
  }

  /** Returns the enabled proxy that has a place; undefined when there is none. */
  holder(place: string): Settings | undefined {
    return this.#kept.proxies.get(this.#kept.holders.get(place) ?? 0)
  }

  /**
   * Adds a proxy, which is disabled when its place is taken.
   * @throws {StreamUnavailable} when there are too many proxies
   * @throws {StoreUnavailable} when there is no database
   */
  add(make: (id: number) => Settings): Promise<Settings> {
    return this.#inTurn(async () => {
      if (this.#kept.proxies.size >= MAX_PROXIES)
        throw new StreamUnavailable(`there are ${MAX_PROXIES} proxies already`)
      const added = this.#placed(make(this.#nextId()))
      await this.#options.table.insert(added)
      this.#set(added)
      return added
    })
  }

  /**
   * Changes a proxy.
   * @throws {StreamNotFound} when there is none with this id
   * @throws {ProxyFixed} when it is in the config file only
   * @throws {ProxyExists} when it would be enabled in a place that is taken
   * @throws {StoreUnavailable} when there is no database
   */
  update(id: number, change: (before: Settings) => Settings): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#changeable(id)
      const changed = change(before)
      if (isDeepStrictEqual(changed, before)) return
      if (!changed.isDisabled && this.#isTaken(changed)) throw new ProxyExists(this.#options.place.taken)
      const after = { ...changed, updatedMs: Date.now() }
      await this.#options.table.update(after)
      this.#set(after)
    })
  }

  /**
   * Removes a proxy.
   * @throws as `update`
   */
  remove(id: number): Promise<void> {
    return this.#inTurn(() => this.#remove([this.#changeable(id)]))
  }

  /**
   * Removes all proxies of a stream path.
   * @throws as `update`
   */
  removePath(streamPath: string): Promise<void> {
    return this.#inTurn(async () => {
      const all = this.list().filter((proxy) => proxy.streamPath === streamPath)
      const removable = all.filter(({ id }) => id < FIRST_UNKEPT_ID)
      if (removable.length > 0) await this.#remove(removable)
      else if (all.length > 0) throw new ProxyFixed()
      else throw new StreamNotFound()
    })
  }

  async #remove(proxies: readonly Settings[]): Promise<void> {
    await this.#options.table.remove(proxies.map(({ id }) => id))
    for (const proxy of proxies) {
      this.#forget(proxy)
      this.#tell(proxy, undefined)
    }
  }

  async #load(): Promise<void> {
    if (this.#kept.isLoaded) return
    const rows = await this.#options.table.all()
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const entry of this.#kept.entries ?? []) {
      if (entry.id < FIRST_UNKEPT_ID) await this.#keep(entry, byId.get(entry.id))
    }
    for (const row of rows) if (!this.#kept.proxies.has(row.id)) this.#set(this.#placed(row))
    this.#kept.isLoaded = true
  }

  /** Makes the row of an entry equal to the entry. */
  async #keep(entry: Settings, row: Settings | undefined): Promise<void> {
    const { table } = this.#options
    if (row === undefined) await table.insert(entry)
    else if (!isDeepStrictEqual({ ...entry, createdMs: row.createdMs, updatedMs: row.updatedMs }, row)) {
      await table.update({ ...entry, createdMs: row.createdMs })
    }
    const held = this.#kept.proxies.get(entry.id)
    if (row === undefined || held === undefined) return
    this.#kept.proxies.set(entry.id, { ...held, createdMs: row.createdMs })
  }

  /** Returns the id after the highest; when none is left there, the lowest that is free. */
  #nextId(): number {
    const highest = this.list().findLast(({ id }) => id < FIRST_UNKEPT_ID)?.id ?? 0
    if (highest + 1 < FIRST_UNKEPT_ID) return highest + 1
    let id = 1
    while (this.#kept.proxies.has(id)) id += 1
    return id
  }

  #changeable(id: number): Settings {
    const proxy = this.#kept.proxies.get(id)
    if (proxy === undefined) throw new StreamNotFound()
    if (id >= FIRST_UNKEPT_ID) throw new ProxyFixed()
    return proxy
  }

  #placed(settings: Settings): Settings {
    return this.#isTaken(settings) ? { ...settings, isDisabled: true } : settings
  }

  #isTaken(settings: Settings): boolean {
    const holder = this.#kept.holders.get(this.#options.place.of(settings))
    return holder !== undefined && holder !== settings.id
  }

  #set(after: Settings): void {
    const before = this.#kept.proxies.get(after.id)
    if (before !== undefined) this.#forget(before)
    this.#kept.proxies.set(after.id, after)
    if (!after.isDisabled) this.#kept.holders.set(this.#options.place.of(after), after.id)
    this.#tell(before, after)
  }

  #tell(before: Settings | undefined, after: Settings | undefined): void {
    for (const follower of this.#kept.followers) follower(before, after)
  }

  #forget(proxy: Settings): void {
    this.#kept.proxies.delete(proxy.id)
    const place = this.#options.place.of(proxy)
    if (this.#kept.holders.get(place) === proxy.id) this.#kept.holders.delete(place)
  }

  /** Runs a step after the steps before it, when the proxies are loaded. */
  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#kept.turn.then(async () => {
      await this.#load()
      return step()
    })
    // Only the caller of a step gets its error; the next step runs all the same.
    this.#kept.turn = done.catch(() => {})
    return done
  }
}
