/** The state of the server's database, for plugins that go on working without it. */
export interface Database {
  /** True where there may be something in it: a file of SQLite's that nobody has written yet is made by the first query. */
  readonly exists: boolean
  /**
   * Calls `listener` each time the database has become reachable and its migrations have run; soon, if it is. What it throws or
   * rejects with is logged.
   * @returns stops that; the end of the generation does, too
   */
  onAvailable(listener: () => void | Promise<void>): () => void
}
