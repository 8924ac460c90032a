import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isMap, isScalar } from 'yaml'
import { ConfigError, type Place, type Problem } from './config-error.ts'
import { normalizeKey } from './key-name.ts'
import type { GroupSchema } from './schema.ts'
import type { ValueReader } from './value-reader.ts'
import { YamlSource } from './yaml-source.ts'

/** A file that is empty has mostly just been truncated by who is about to write it. */
const EMPTY_SETTLE_MS = 2000
/** How often it is read meanwhile. */
const EMPTY_LOOK_MS = 50

/** A section as it was written. */
export type FileSection = {
  /** In the user's spelling. */
  readonly name: string
  readonly node: unknown
  readonly place: Place
}

/** A parsed file, or no file at all, whose sections are not read by a schema yet. */
export class ConfigFile {
  /** By normalized name. */
  readonly sections: ReadonlyMap<string, FileSection>
  /** What keeps the file as a whole from being read. */
  readonly problems: readonly Problem[]
  readonly #source: YamlSource

  constructor(name: string, text: string) {
    this.#source = YamlSource.parse(name, text)
    const problems = [...this.#source.problems]
    this.sections = this.#sections(problems)
    this.problems = problems
  }

  /**
   * Reads a file; undefined when it isn't there and need not be.
   * @throws {ConfigError} when it can't be read
   */
  static async read(file: string, required: boolean): Promise<ConfigFile | undefined> {
    const text = await readText(file)
    if (text === undefined && required) throw unreadable(file, 'there is no such file')
    return text === undefined ? undefined : new ConfigFile(file, text)
  }

  /**
   * Reads a file that somebody may be about to write: an empty one, with which no gate would hold, is believed only when it
   * stays so for {@link EMPTY_SETTLE_MS}.
   * @throws {ConfigError} when it can't be read
   */
  static async readAgain(file: string): Promise<ConfigFile> {
    let text = await readText(file)
    for (let waitedMs = 0; text === '' && waitedMs < EMPTY_SETTLE_MS; waitedMs += EMPTY_LOOK_MS) {
      await delay(EMPTY_LOOK_MS, undefined, { ref: false })
      text = await readText(file)
    }
    if (text === undefined) throw unreadable(file, 'there is no such file')
    return new ConfigFile(file, text)
  }

  /** @param foreignKey what to say of a key of the section that is like none in its schema */
  reader(section: GroupSchema, foreignKey?: (key: string) => string): ValueReader {
    return this.#source.reader(section, foreignKey)
  }

  #sections(problems: Problem[]): Map<string, FileSection> {
    const { contents: root, place: start } = this.#source
    const sections = new Map<string, FileSection>()
    if (isMap(root)) {
      for (const { key, value } of root.items) {
        const name = isScalar(key) ? String(key.source ?? key.value) : String(key)
        const place = this.#source.placeOf(key) ?? start
        if (sections.has(normalizeKey(name))) problems.push({ ...place, key: name, message: 'is given twice' })
        else sections.set(normalizeKey(name), { name, node: value, place })
      }
    } else if (root !== null && !(isScalar(root) && root.value === null) && problems.length === 0) {
      problems.push({ ...start, key: '', message: 'expected a map of sections' })
    }
    return sections
  }
}

/** What is in a file; undefined when there is none. */
async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === undefined) throw error
    if (code === 'ENOENT') return undefined
    throw unreadable(file, `can't be read (${code})`)
  }
}

function unreadable(file: string, message: string): ConfigError {
  return new ConfigError([{ file, line: 0, column: 0, key: '', message }])
}
