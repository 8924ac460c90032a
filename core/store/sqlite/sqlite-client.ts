import { Worker } from 'node:worker_threads'
import { moduleToRun } from '../../build/running-build.ts'
import type { SqliteOutcome, SqliteReply, SqliteRequest, SqliteThreadData } from './messages.ts'

/** The most memory for the rows of a query; the thread ends where they take more, and is started again. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512 }

/** The thread has ended, and with it the statements that it had not answered. */
export class SqliteThreadEnd extends Error {}

/** An error of SQLite's. */
export class SqliteError extends Error {
  readonly code: string
  /** The extended result code; 0 where it is no error of SQLite's. */
  readonly errcode: number

  constructor({ message, code, errcode }: Extract<SqliteReply, { error: unknown }>['error']) {
    super(message)
    this.code = code
    this.errcode = errcode
  }
}

/** The server's side: hands statements to the thread, which runs them in order. */
export class SqliteClient {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PromiseWithResolvers<SqliteOutcome>>()
  readonly #ended = Promise.withResolvers<void>()
  #end: SqliteThreadEnd | undefined
  #count = 0

  private constructor(file: string) {
    const thread = moduleToRun(new URL('sqlite-thread.ts', import.meta.url))
    const workerData: SqliteThreadData = { file }
    this.#worker = new Worker(thread, { workerData, resourceLimits: THREAD_LIMITS })
    this.#worker.on('message', (reply: SqliteReply) => this.#onReply(reply))
    this.#worker.on('error', (error) => this.#onEnd(error))
    this.#worker.on('exit', () => this.#onEnd())
  }

  /** @throws {SqliteError} when the file can't be opened, or must not be */
  static async open(file: string): Promise<SqliteClient> {
    const client = new SqliteClient(file)
    try {
      await client.#await(0)
    } catch (error) {
      await client.#worker.terminate()
      throw error
    }
    return client
  }

  /** Settles when the thread has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** @throws {SqliteError} when the statement fails; {@link SqliteThreadEnd} when the thread ends before the answer */
  run(request: Omit<SqliteRequest, 'id'>): Promise<SqliteOutcome> {
    const id = ++this.#count
    const result = this.#await(id)
    if (this.#end === undefined) this.#worker.postMessage({ ...request, id } satisfies SqliteRequest, [])
    return result
  }

  /** Ends the thread after the statements that it has been given. */
  close(): Promise<void> {
    this.#worker.postMessage('close', [])
    return this.ended
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #await(id: number): Promise<SqliteOutcome> {
    const waiting = Promise.withResolvers<SqliteOutcome>()
    if (this.#end === undefined) this.#waiting.set(id, waiting)
    else waiting.reject(this.#end)
    return waiting.promise
  }

  #onReply(reply: SqliteReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) waiting?.reject(new SqliteError(reply.error))
    else waiting?.resolve(reply)
  }

  #onEnd(cause?: unknown): void {
    this.#end ??= new SqliteThreadEnd('the thread of the database has ended', { cause })
    for (const { reject } of this.#waiting.values()) reject(this.#end)
    this.#waiting.clear()
    this.#ended.resolve()
  }
}
