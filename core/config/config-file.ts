import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isMap, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml'
import { ConfigError, type Place, type Problem } from './config-error.ts'
import { normalizeKey } from './key-name.ts'
import { ValueReader } from './value-reader.ts'
import type { GroupSchema } from './schema.ts'

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
  readonly #document: Document
  readonly #placeOf: (node: unknown) => Place | undefined

  constructor(name: string, text: string) {
    const lines = new LineCounter()
    // The excerpts of pretty errors could show secrets.
    this.#document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
    const placeAt = (offset: number): Place => {
      const { line, col } = lines.linePos(offset)
      return { file: name, line, column: col }
    }
    this.#placeOf = (node) => {
      const offset = (node as Node | null | undefined)?.range?.[0]
      return offset === undefined ? undefined : placeAt(offset)
    }
    const problems = [...syntaxProblems(this.#document, placeAt), ...aliasProblems(this.#document, placeAt)]
    this.sections = this.#sections(placeAt(0), problems)
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
    return new ValueReader({ document: this.#document, placeOf: this.#placeOf, section, foreignKey })
  }

  #sections(start: Place, problems: Problem[]): Map<string, FileSection> {
    const sections = new Map<string, FileSection>()
    const root = this.#document.contents
    if (isMap(root)) {
      for (const { key, value } of root.items) {
        const name = isScalar(key) ? String(key.source ?? key.value) : String(key)
        const place = this.#placeOf(key) ?? start
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

const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation is wrong',
  BAD_SCALAR_START: 'a value that begins with one of @ ` % must be in quotes',
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; single quotes take a backslash as it is',
  BLOCK_AS_IMPLICIT_KEY: "a value with ': ' in it must be in quotes, or the indentation is wrong",
  MISSING_CHAR: 'a closing quote or bracket is missing',
  MULTILINE_IMPLICIT_KEY: "a ':' is missing after a key, or the indentation is wrong",
  MULTIPLE_DOCS: 'the file must be a single YAML document',
  TAB_AS_INDENT: 'tabs may not be used for indentation',
  TAG_RESOLVE_FAILED: 'unknown tag; a value that begins with ! must be in quotes',
  UNEXPECTED_TOKEN: 'unexpected text; a value that begins with one of [ { | > must be in quotes',
}

/** Only the first, since the others mostly follow from it. The parser's own messages could hold pieces of secrets. */
function syntaxProblems({ errors, warnings }: Document, placeAt: (offset: number) => Place): Problem[] {
  return [...errors, ...warnings].slice(0, 1).map(({ code, pos }) => {
    return { ...placeAt(pos[0]), key: '', message: SYNTAX_MESSAGES[code] ?? `not valid YAML (${code})` }
  })
}

function aliasProblems(document: Document, placeAt: (offset: number) => Place): Problem[] {
  const problems: Problem[] = []
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document)
      const place = placeAt(alias.range?.[0] ?? 0)
      if (target === undefined) {
        problems.push({ ...place, key: '', message: 'unknown alias; a value that begins with * must be in quotes' })
      } else if (ancestors.includes(target)) {
        problems.push({ ...place, key: '', message: 'the alias contains itself' })
      }
    },
  })
  return problems
}
