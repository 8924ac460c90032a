import { Document, parseDocument, Scalar } from 'yaml'
import type { Place, Problem } from './config-error.ts'
import { nearestKey, normalizeKey } from './key-name.ts'
import type { Leaf } from './schema.ts'
import type { Setting, SettingMap } from './settings.ts'
import { ValueReader } from './value-reader.ts'

const PREFIX = 'SLUICE_'

/** A variable of the environment that may set a key. */
type Variable = {
  readonly name: string
  readonly text: string
  /** The name without prefix, cut at each `_`, in lower case. */
  readonly words: readonly string[]
}

/** The variables `SLUICE_<SECTION>_<KEY>…`. Keys may have `_` in them, so the meaning of a name depends on the schema. */
export class Environment {
  readonly #variables: readonly Variable[]

  constructor(env: NodeJS.ProcessEnv) {
    this.#variables = Object.entries(env).flatMap(([name, text]) => {
      if (!name.startsWith(PREFIX) || text === undefined) return []
      return [{ name, text, words: name.slice(PREFIX.length).toLowerCase().split('_') }]
    })
  }

  /** Reads the values that the environment sets in a section. */
  read(section: string, leaves: readonly Leaf[], problems: Problem[]): SettingMap {
    const byName = leavesByName(leaves)
    const settings = new Map<string, Setting>()
    for (const variable of this.#variables) {
      const leaf = byName.get(keyIn(variable, section) ?? '')
      if (leaf === undefined) continue
      const place: Place = { file: variable.name, line: 0, column: 0 }
      const { reader, node } = textReader(variable.text, leaf)
      const reading = reader.read(node, leaf.schema, { key: `${section}.${leaf.path}`, place })
      problems.push(...reader.problems)
      if (reading !== undefined) settings.set(leaf.path, { ...reading, place })
    }
    return settings
  }

  /** The warnings for variables that begin with the name of one of these sections, but set none of its keys. */
  warnings(sections: ReadonlyMap<string, readonly Leaf[]>): string[] {
    return this.#variables.flatMap((variable) => {
      const possible = [...sections].filter(([section]) => keyIn(variable, section) !== undefined)
      if (possible.length === 0) return []
      if (possible.some(([section, leaves]) => leavesByName(leaves).has(keyIn(variable, section) ?? ''))) return []
      const known = possible.flatMap(([section, leaves]) => leaves.map(({ path }) => variableName(section, path)))
      const nearest = nearestKey(variable.name, known)
      return [`${variable.name}: unknown variable${nearest === undefined ? '' : `, did you mean ${nearest}?`}`]
    })
  }
}

/** The rest of a variable's name after that of the section, normalized; undefined when the variable is not of that section. */
function keyIn({ words }: Variable, section: string): string | undefined {
  const wanted = normalizeKey(section)
  let joined = ''
  for (const [index, word] of words.entries()) {
    joined += word
    if (joined === wanted) return words.slice(index + 1).join('')
    if (joined.length >= wanted.length) return undefined
  }
  return undefined
}

function leavesByName(leaves: readonly Leaf[]): ReadonlyMap<string, Leaf> {
  return new Map(leaves.map((leaf) => [normalizeKey(leaf.path.replaceAll('.', '')), leaf]))
}

function variableName(section: string, path: string): string {
  return `${PREFIX}${section}_${path}`.replaceAll(/[.-]/g, '_').toUpperCase()
}

/** Lists and maps may be given in YAML's flow style; every other value is plain text. */
function textReader(text: string, { schema }: Leaf): { reader: ValueReader; node: unknown } {
  const structured = schema.type !== 'string' && /^\s*[[{]/.test(text)
  const document: Document = structured ? parseDocument(text, { prettyErrors: false }) : new Document()
  const node = structured && document.errors.length === 0 ? document.contents : new Scalar(text)
  return { reader: new ValueReader({ document, text: true }), node }
}
