import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { errorCode, messageOf } from 'sluice/sdk'
import { Modifications, type Modification } from './modifications.ts'

/** Secrets may be among the values. */
const MODE = 0o600

/** The file, as JSON. */
type Copied = {
  /** A digest of the name of the database that they are from. */
  readonly database: string
  readonly values: readonly Modification[]
  readonly revisions: readonly (readonly [section: string, revision: number])[]
}

type ModificationCopyOptions = {
  readonly file: string
  /** Names the database: values of another one are not taken. */
  readonly database: string
  readonly log: Logger
}

/** A copy of what was set at run time beside the database, for a start at which that is away. */
export class ModificationCopy {
  readonly #file: string
  readonly #database: string
  readonly #log: Logger
  #writing: Promise<void> = Promise.resolve()
  #isTold = false

  constructor({ file, database, log }: ModificationCopyOptions) {
    this.#file = file
    this.#database = createHash('sha256').update(database).digest('hex')
    this.#log = log
  }

  /** What was in the database when that was last asked; undefined where that is not known. */
  async read(): Promise<Modifications | undefined> {
    try {
      const { database, values, revisions } = JSON.parse(await readFile(this.#file, 'utf8')) as Copied
      return database === this.#database ? new Modifications(values, new Map(revisions)) : undefined
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#log.warn(`${this.#file} can't be used: ${messageOf(error)}`)
      return undefined
    }
  }

  /** Takes the place of what was copied before. Never rejects: the server does without a copy, and says so once. */
  write(stored: Modifications): Promise<void> {
    this.#writing = this.#writing.then(() => this.#replace(stored))
    return this.#writing
  }

  async #replace(stored: Modifications): Promise<void> {
    const copied: Copied = { database: this.#database, values: stored.all, revisions: stored.revisions }
    const temporary = `${this.#file}.new`
    try {
      await mkdir(path.dirname(this.#file), { recursive: true })
      // What an interrupted try has left may have another mode.
      await rm(temporary, { force: true })
      await writeSynced(temporary, JSON.stringify(copied))
      await rename(temporary, this.#file)
    } catch (error) {
      if (!this.#isTold) this.#log.info(`no copy of what is set at run time is kept: ${messageOf(error)}`)
      this.#isTold = true
    }
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', MODE)
  await handle.writeFile(text)
  await handle.sync()
}
