import { Document, LineCounter, parseDocument, visit, type Node } from 'yaml'
import type { Place, Problem } from './config-error.ts'
import type { GroupSchema } from './schema.ts'
import { ValueReader } from './value-reader.ts'

/** A text of the user as YAML nodes with their places. */
export class YamlSource {
  /** The place where the text begins. */
  readonly place: Place
  /** The errors that keep the whole text from being read. */
  readonly problems: readonly Problem[]
  readonly #document: Document
  readonly #lines: LineCounter | undefined

  private constructor(document: Document, name: string, lines?: LineCounter) {
    this.#document = document
    this.#lines = lines
    this.place = lines === undefined ? { file: name, line: 0, column: 0 } : { file: name, line: 1, column: 1 }
    this.problems = lines === undefined ? [] : [...this.#syntaxProblems(), ...this.#aliasProblems()]
  }

  /** @param name the name of the file, or the `file` of the problems' places */
  static parse(name: string, text: string): YamlSource {
    const lines = new LineCounter()
    // The excerpts of pretty errors could show secrets.
    return new YamlSource(
      parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false }),
      name,
      lines,
    )
  }

  /** Makes a source of a value that was sent or stored as JSON; its parts have no places of their own. */
  static of(name: string, value: unknown): YamlSource {
    return new YamlSource(new Document(value), name)
  }

  get contents(): unknown {
    return this.#document.contents
  }

  placeOf(node: unknown): Place | undefined {
    const offset = (node as Node | null | undefined)?.range?.[0]
    return offset === undefined ? undefined : this.#placeAt(offset)
  }

  /** The value of a node, as JSON. */
  valueOf(node: unknown): unknown {
    return (node as Node | null | undefined)?.toJS(this.#document)
  }

  /** Makes a node for another value than was written. */
  nodeOf(value: unknown): Node {
    return this.#document.createNode(value)
  }

  /** @param foreignKey makes the message for a key of the section that resembles none in its schema */
  reader(section: GroupSchema, foreignKey?: (key: string) => string): ValueReader {
    const placeOf = (node: unknown) => this.placeOf(node)
    return new ValueReader({ document: this.#document, placeOf, section, foreignKey })
  }

  #placeAt(offset: number): Place | undefined {
    if (this.#lines === undefined) return undefined
    const { line, col } = this.#lines.linePos(offset)
    return { ...this.place, line, column: col }
  }

  #problemAt(offset: number, message: string): Problem {
    return { ...(this.#placeAt(offset) ?? this.place), key: '', message }
  }

  /**
   * Returns only the first error, as the others mostly follow from it. The parser's own messages could contain parts of
   * secrets.
   */
  #syntaxProblems(): Problem[] {
    const { errors, warnings } = this.#document
    return [...errors, ...warnings]
      .slice(0, 1)
      .map(({ code, pos }) => this.#problemAt(pos[0], SYNTAX_MESSAGES[code] ?? `not valid YAML (${code})`))
  }

  #aliasProblems(): Problem[] {
    const problems: Problem[] = []
    let count = 0
    visit(this.#document, {
      Alias: (_key, alias, ancestors) => {
        count += 1
        const target = alias.resolve(this.#document)
        const offset = alias.range?.[0] ?? 0
        if (target === undefined) {
          problems.push(this.#problemAt(offset, 'unknown alias; a value that begins with * must be in quotes'))
        } else if (ancestors.includes(target)) problems.push(this.#problemAt(offset, 'the alias contains itself'))
      },
    })
    if (count > 0 && problems.length === 0 && !this.#isExpandable()) {
      problems.push({ ...this.place, key: '', message: 'the aliases stand for too much' })
    }
    return problems
  }

  /** Returns false for aliases of aliases that stand for more than fits into memory; the parser counts them. */
  #isExpandable(): boolean {
    try {
      this.#document.toJS()
      return true
    } catch {
      return false
    }
  }
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
