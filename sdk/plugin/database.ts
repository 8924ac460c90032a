/** The state of the server's database, for plugins that go on working without it. */
export interface Database {
  /** True where the database may have contents: a file of SQLite's that was never written is made by the first query. */
  readonly exists: boolean
  /**
   * Calls `listener` each time the database has become reachable and its migrations have run; soon, if it is. Errors that it
   * throws or rejects with are logged.
   * @returns a function that stops that; the end of the generation does, too
   */
  onAvailable(listener: () => void | Promise<void>): () => void
}
