import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isMap, isScalar } from 'yaml'
import { ConfigError, type Place, type Problem } from './config-error.ts'
import { normalizeKey } from './key-name.ts'
import type { GroupSchema } from './schema.ts'
import type { ValueReader } from './value-reader.ts'
import { YamlSource } from './yaml-source.ts'

/** The time that an empty file must stay empty to be read: mostly its writer has just truncated it. */
const EMPTY_SETTLE_MS = 2000
/** The interval at which an empty file is read again. */
const EMPTY_LOOK_MS = 50

/** A section as it was written. */
export type FileSection = {
  /** The name in the user's spelling. */
  readonly name: string
  readonly node: unknown
  readonly place: Place
}

/** A parsed file, or no file at all, whose sections have not been read by a schema yet. */
export class ConfigFile {
  /** The sections by normalized name. */
  readonly sections: ReadonlyMap<string, FileSection>
  /** The errors that keep the whole file from being read. */
  readonly problems: readonly Problem[]
  readonly #source: YamlSource

  constructor(name: string, text: string) {
    this.#source = YamlSource.parse(name, text)
    const problems = [...this.#source.problems]
    this.sections = this.#sections(problems)
    this.problems = problems
  }

  /**
   * Reads a file; undefined when it is missing and not required.
   * @throws {ConfigError} when it can't be read
   */
  static async read(file: string, required: boolean): Promise<ConfigFile | undefined> {
    const text = await readText(file)
    if (text === undefined && required) throw unreadable(file, 'there is no such file')
    return text === undefined ? undefined : new ConfigFile(file, text)
  }

  /**
   * Reads a file that is perhaps being written: an empty one, which would switch off all access control, is accepted only
   * when it stays empty for {@link EMPTY_SETTLE_MS}.
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

  /** @param foreignKey makes the message for a key of the section that resembles none in its schema */
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

/** Reads the text of a file; undefined when there is no file. */
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
