import type { Logger } from 'pino'
import {
  checkStreamPath,
  InvalidRequest,
  messageOf,
  parseQuery,
  type Kysely,
  type Lead,
  type PullJobs,
  type SessionRequest,
  type StreamManager,
  type SubscriberInfo,
} from 'sluice/sdk'
import { AliasRules, parseTarget, type AliasTarget } from './alias-rules.ts'
import type { AliasRow, AliasTables } from './alias-tables.ts'

/** The number of aliases from which on those of rules are not kept: clients create them by the paths that they ask for. */
const MAX_ALIASES = 10_000

/** A second name for a stream. */
export type Alias = AliasTarget & {
  readonly alias: string
  /** True when the end of the target's publisher removes the alias. */
  readonly autoRemove: boolean
}

/** The status of an alias: its target is absent (0) or live (1), or a real stream bears the name (2); api.md 3.4. */
export type AliasStatus = 0 | 1 | 2

/** The aliases, which all generations of the plugin share. */
export type KeptAliases = {
  readonly byName: Map<string, Alias>
  /** True once the stored aliases are among them. */
  isLoaded: boolean
}

type AliasesOptions = {
  readonly log: Logger
  readonly kept: KeptAliases
  readonly tables: Kysely<AliasTables>
  readonly streams: Pick<StreamManager, 'get' | 'subscribers' | 'move' | 'send'>
  readonly pulls: Pick<PullJobs, 'demand'>
  /** Returns the current `global.streamalias`. */
  readonly rules: () => Readonly<Record<string, string>>
}

/** The second names of streams, which lead their subscribers to the targets. */
export class Aliases {
  readonly #options: AliasesOptions
  readonly #aliases: Map<string, Alias>
  #written: Readonly<Record<string, string>> = {}
  #rules = new AliasRules({})
  /** The writes under way that no caller waits for. */
  readonly #writing = new Set<Promise<void>>()

  constructor(options: AliasesOptions) {
    this.#options = options
    this.#aliases = options.kept.byName
  }

  /** Returns all aliases, each with its status. */
  list(): (Alias & { readonly status: AliasStatus })[] {
    return [...this.#aliases.values()].map((alias) => ({ ...alias, status: this.#statusOf(alias) }))
  }

  /**
   * Sets an alias, in place of the one of that name; resolves when it is stored.
   * @param written the target's path, and its query where it has one
   * @throws {InvalidRequest} when one of the two is no path, or they are the same
   * @throws {StoreUnavailable} when it could not be stored, and so is not set
   */
  async set(name: string, written: string, autoRemove: boolean): Promise<void> {
    const target = parseTarget(written)
    const streamPath = checkStreamPath(target.streamPath)
    const alias: Alias = { ...target, alias: checkStreamPath(name), streamPath, autoRemove }
    if (streamPath === alias.alias) throw new InvalidRequest('a stream is no alias of itself')
    await this.#store(alias)
    this.#aliases.set(alias.alias, alias)
    this.#lead(alias)
  }

  /**
   * Removes an alias; resolves when that is stored.
   * @returns false when there is no such alias
   * @throws {StoreUnavailable} when it could not be removed, and so stays
   */
  async remove(name: string): Promise<boolean> {
    const alias = this.#aliases.get(name)
    if (alias === undefined) return false
    await this.#delete(name)
    this.#forget(alias)
    return true
  }

  /**
   * Adds the stored aliases to those that are known, unless a generation has done that already.
   * @throws {StoreUnavailable} when there is no database
   */
  async load(): Promise<void> {
    const { kept, tables } = this.#options
    if (kept.isLoaded) return
    const rows = await tables.selectFrom('sluice_alias').selectAll().execute()
    kept.isLoaded = true
    for (const alias of rows.map(aliasOf)) {
      if (this.#aliases.has(alias.alias)) continue
      this.#aliases.set(alias.alias, alias)
      this.#lead(alias)
    }
  }

  /** Leads the subscribers that came while the server started, before this plugin could lead them. */
  takeIn(): void {
    const names = new Set(this.#options.streams.subscribers().map(({ streamPath }) => streamPath))
    for (const name of names) {
      const alias = this.#aliases.get(name) ?? this.#make(name)
      if (alias !== undefined) this.#lead(alias)
    }
  }

  /** Resolves when the writes under way that no caller waits for are done. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing)
  }

  /** Answers the hook `lead`: the target for a subscriber of an alias; undefined leaves it at the path that it asked for. */
  lead({ streamPath, params }: SessionRequest): Lead | undefined {
    const alias = this.#aliases.get(streamPath) ?? this.#make(streamPath)
    if (alias === undefined) return undefined
    const args = { ...parseQuery(alias.query), ...params }
    const { streams } = this.#options
    if (streams.get(alias.streamPath) === undefined && streams.get(streamPath) !== undefined) {
      this.#demand(alias, args)
      return undefined
    }
    return { streamPath: alias.streamPath, params: args }
  }

  /** Creates the alias of a name by the rules; undefined when there is no rule for it. */
  #make(name: string): Alias | undefined {
    const { rules, log } = this.#options
    if (this.#written !== rules()) {
      this.#written = rules()
      this.#rules = new AliasRules(this.#written)
    }
    const target = this.#rules.match(name)
    if (target === undefined) return undefined
    const alias = { alias: name, ...target, autoRemove: false }
    if (this.#aliases.size >= MAX_ALIASES) return alias
    this.#aliases.set(name, alias)
    this.#write(this.#store(alias), (reason) => log.warn({ alias: name }, `the alias is not stored: ${reason}`))
    return alias
  }

  /** Moves the viewers of aliases to a stream that has come. */
  published(path: string): void {
    const { streams } = this.#options
    for (const { alias, streamPath } of this.#aliases.values()) {
      if (streamPath === path) this.#move(this.#watching(alias), path)
      // A real stream of the name serves until the target comes.
      else if (alias === path && streams.get(streamPath) === undefined) this.#move(this.#watching(alias), path)
    }
  }

  /** Moves the viewers of a stream that has ended to the real stream of their name, if there is one; removes `autoRemove` aliases. */
  unpublished(path: string): void {
    const { log } = this.#options
    for (const alias of this.#aliases.values().toArray()) {
      if (alias.streamPath !== path) continue
      if (alias.autoRemove) {
        const { alias: name } = alias
        this.#forget(alias)
        this.#write(this.#delete(name), (reason) => log.warn({ alias: name }, `the alias stays stored: ${reason}`))
      } else if (this.#options.streams.get(alias.alias) !== undefined) {
        this.#move(this.#watching(alias.alias), alias.alias)
      }
    }
  }

  /** Moves the viewers of an alias to its target; when that is absent, those that receive nothing wait for it. */
  #lead(alias: Alias): void {
    const { streams } = this.#options
    const watching = this.#watching(alias.alias)
    if (streams.get(alias.streamPath) !== undefined) return this.#move(watching, alias.streamPath)
    const waiting = watching.filter(({ sourcePath }) => streams.get(sourcePath) === undefined)
    streams.send(idsOf(waiting), alias.streamPath)
    this.#demand(alias)
  }

  /** Removes an alias; its viewers get the real stream of the name, or wait for one. */
  #forget(alias: Alias): void {
    const { streams, pulls } = this.#options
    const { alias: name } = alias
    if (this.#aliases.get(name) !== alias) return
    this.#aliases.delete(name)
    const watching = this.#watching(name).filter(({ sourcePath }) => sourcePath !== name)
    if (streams.get(name) !== undefined) return this.#move(watching, name)
    streams.send(idsOf(watching), name)
    const [first] = watching
    if (first !== undefined) pulls.demand(name, alias.query === '' ? first.params : parseQuery(alias.query))
  }

  /** Has the target pulled when the alias has viewers. */
  #demand({ alias, streamPath, query }: Alias, args = parseQuery(query)): void {
    if (this.#watching(alias).length > 0) this.#options.pulls.demand(streamPath, args)
  }

  #move(subscribers: readonly SubscriberInfo[], streamPath: string): void {
    const elsewhere = subscribers.filter(({ sourcePath }) => sourcePath !== streamPath)
    if (elsewhere.length > 0) this.#options.streams.move(idsOf(elsewhere), streamPath)
  }

  /** Returns the viewers that asked for a name, and the sessions that take streams for them. */
  #watching(name: string): SubscriberInfo[] {
    return this.#options.streams
      .subscribers()
      .filter(({ streamPath, type, follows }) => streamPath === name && (type === 'server' || follows))
  }

  #statusOf({ alias, streamPath }: Alias): AliasStatus {
    const { streams } = this.#options
    if (streams.get(alias) !== undefined) return 2
    return streams.get(streamPath) === undefined ? 0 : 1
  }

  async #store({ alias, streamPath, query, autoRemove }: Alias): Promise<void> {
    const row = { stream_path: streamPath, query, auto_remove: autoRemove ? 1 : 0 }
    await this.#options.tables
      .insertInto('sluice_alias')
      .values({ alias, ...row })
      .onConflict((conflict) => conflict.column('alias').doUpdateSet(row))
      .execute()
  }

  async #delete(name: string): Promise<void> {
    await this.#options.tables.deleteFrom('sluice_alias').where('alias', '=', name).execute()
  }

  #write(writing: Promise<void>, fail: (reason: string) => void): void {
    const written = writing
      .catch((error: unknown) => fail(messageOf(error)))
      .finally(() => this.#writing.delete(written))
    this.#writing.add(written)
  }
}

function aliasOf({ alias, stream_path: streamPath, query, auto_remove: autoRemove }: AliasRow): Alias {
  return { alias, streamPath, query, autoRemove: autoRemove === 1 }
}

function idsOf(subscribers: readonly SubscriberInfo[]): number[] {
  return subscribers.map(({ id }) => id)
}
