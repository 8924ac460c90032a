import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { errorCode, messageOf } from 'sluice/sdk'
import { Modifications, type Modification } from './modifications.ts'

/** The mode of the file, as secrets may be among the values. */
const MODE = 0o600

/** The JSON content of the file. */
type Copied = {
  /** A digest of the name of the database that the values are from. */
  readonly database: string
  readonly values: readonly Modification[]
  readonly revisions: readonly (readonly [section: string, revision: number])[]
}

type ModificationCopyOptions = {
  readonly file: string
  /** The name of the database; the values of another one are not used. */
  readonly database: string
  readonly log: Logger
}

/** A file with a copy of the values set at run time, for a start without the database. */
export class ModificationCopy {
  readonly #file: string
  readonly #database: string
  readonly #log: Logger
  #writing: Promise<void> = Promise.resolve()
  #isFailureLogged = false

  constructor({ file, database, log }: ModificationCopyOptions) {
    this.#file = file
    this.#database = createHash('sha256').update(database).digest('hex')
    this.#log = log
  }

  /** Reads the values that were in the database at the last copy; undefined where there is no copy. */
  async read(): Promise<Modifications | undefined> {
    try {
      const { database, values, revisions } = JSON.parse(await readFile(this.#file, 'utf8')) as Copied
      return database === this.#database ? new Modifications(values, new Map(revisions)) : undefined
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#log.warn(`${this.#file} can't be used: ${messageOf(error)}`)
      return undefined
    }
  }

  /** Replaces the copy. Never rejects: the server works without a copy, and logs that once. */
  write(stored: Modifications): Promise<void> {
    this.#writing = this.#writing.then(() => this.#replace(stored))
    return this.#writing
  }

  async #replace(stored: Modifications): Promise<void> {
    const copied: Copied = { database: this.#database, values: stored.all, revisions: stored.revisions }
    const temporary = `${this.#file}.new`
    try {
      await mkdir(path.dirname(this.#file), { recursive: true })
      // A file that an interrupted attempt has left may have another mode.
      await rm(temporary, { force: true })
      await writeSynced(temporary, JSON.stringify(copied))
      await rename(temporary, this.#file)
    } catch (error) {
      if (!this.#isFailureLogged) this.#log.info(`no copy of what is set at run time is kept: ${messageOf(error)}`)
      this.#isFailureLogged = true
    }
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', MODE)
  await handle.writeFile(text)
  await handle.sync()
}
