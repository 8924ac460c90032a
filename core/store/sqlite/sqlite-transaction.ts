import { StoreUnavailable } from 'sluice/sdk'
import type { SqliteOutcome, SqliteRequest } from './messages.ts'
import type { SqliteClient } from './sqlite-client.ts'

type SqliteTransactionInit = {
  /** The client of the thread in which the transaction began. */
  readonly client: Pick<SqliteClient, 'run'>
  /** Ends the turn, so that others can write. */
  readonly endTurn: () => void
  /** The longest time in which the transaction may do nothing. */
  readonly idleMs: number
}

/** A transaction that is under way. One that does nothing for too long is rolled back, as it keeps all others from writing. */
export class SqliteTransaction {
  readonly #init: SqliteTransactionInit
  #state: 'open' | 'expired' | 'ended' = 'open'
  #timer: NodeJS.Timeout | undefined
  /** The number of statements that are under way; there may be several at a time. */
  #running = 0

  private constructor(init: SqliteTransactionInit) {
    this.#init = init
  }

  static async begin(init: SqliteTransactionInit): Promise<SqliteTransaction> {
    await init.client.run(step('begin'))
    const transaction = new SqliteTransaction(init)
    transaction.#wait()
    return transaction
  }

  /** @throws {StoreUnavailable} when the transaction was rolled back meanwhile */
  run(sql: string, parameters: readonly unknown[]): Promise<SqliteOutcome> {
    this.#assertOpen()
    return this.#do({ on: 'writer', kind: 'statement', sql, parameters, inTransaction: true })
  }

  /** @throws {StoreUnavailable} when the transaction was rolled back meanwhile */
  async commit(): Promise<void> {
    this.#assertOpen()
    await this.#do(step('commit'))
    this.#finish('ended')
  }

  /** Rolls the transaction back; does nothing where it has ended. */
  async rollBack(): Promise<void> {
    if (this.#state !== 'open') return
    try {
      await this.#do(step('rollback'))
    } finally {
      this.#finish('ended')
    }
  }

  async #do(request: Omit<SqliteRequest, 'id'>): Promise<SqliteOutcome> {
    clearTimeout(this.#timer)
    this.#running += 1
    try {
      return await this.#init.client.run(request)
    } finally {
      this.#running -= 1
      if (this.#state === 'open' && this.#running === 0) this.#wait()
    }
  }

  /** Waits for the next statement. */
  #wait(): void {
    this.#timer = setTimeout(() => void this.#expire(), this.#init.idleMs)
  }

  async #expire(): Promise<void> {
    this.#state = 'expired'
    try {
      await this.#init.client.run(step('rollback'))
    } catch {
      // The thread has ended, and the transaction with it.
    }
    this.#finish('expired')
  }

  #finish(state: 'expired' | 'ended'): void {
    clearTimeout(this.#timer)
    this.#state = state
    this.#init.endTurn()
  }

  #assertOpen(): void {
    if (this.#state === 'expired') throw new StoreUnavailable('the transaction did nothing for too long')
  }
}

function step(kind: 'begin' | 'commit' | 'rollback') {
  return { on: 'writer', kind, sql: '', parameters: [], inTransaction: true } as const
}
