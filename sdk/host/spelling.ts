import type { AnyOperation, AnySocket } from './any-operation.ts'
import { decodePathPart } from '../http/request.ts'
import { propertiesOf, type JsonSchema } from './json-schema.ts'

/** One way to ask for an operation: a method, and a path with a slash first. */
export type Spelling = {
  readonly method: string
  readonly path: string
  /** The path as fastify takes it. */
  readonly url: string
  /** The path is one of the whole server; otherwise it begins at each of the plugin's mounts. */
  readonly isAbsolute: boolean
  /** True for a spelling that is kept for older clients. */
  readonly isAlias: boolean
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PARAMETER = /^\{(?<name>[A-Za-z][A-Za-z0-9_]*)\}$/u
const LITERAL = /^[A-Za-z0-9._~-]+$/u

/**
 * The spellings of an operation, its own first.
 * @throws {Error} when a path is none, has parameters that the schema has not, or lacks one that is required
 */
export function spellingsOf({
  method,
  path,
  aliases = [],
  params,
}: Pick<AnyOperation, 'method' | 'path' | 'aliases' | 'params'>): Spelling[] {
  return [`${method} ${path}`, ...aliases].map((text, index) => {
    const [first = '', second] = text.split(' ')
    const spelling = second === undefined ? parse(method, first, params) : parse(first, second, params)
    check(spelling, params, text)
    return { ...spelling, isAlias: index > 0 }
  })
}

/**
 * The spelling of a WebSocket.
 * @throws {Error} as `spellingsOf`
 */
export function socketSpelling({ path, params }: AnySocket): Spelling {
  const spelling = { ...parse('GET', path, params), isAlias: false }
  check(spelling, params, path)
  return spelling
}

/** The parts of a path: text, or a parameter, which may take the rest of the path with its slashes. */
export type PathPart = { readonly text: string } | { readonly parameter: string; readonly takesRest: boolean }

export function partsOf(path: string, params: JsonSchema | undefined): PathPart[] {
  const parts = path.slice(1).split('/')
  return parts.map((text, index) => {
    const parameter = PARAMETER.exec(text)?.groups?.['name']
    if (parameter === undefined) return { text }
    const isStreamPath = isPathFormat(propertiesOf(params)[parameter]?.format)
    return { parameter, takesRest: isStreamPath && index === parts.length - 1 }
  })
}

/** Returns true when values of a format are stream paths, which contain slashes. */
export function isPathFormat(format: unknown): boolean {
  return format === 'stream-path' || format === 'stream-paths'
}

function routeUrl(parts: readonly PathPart[]): string {
  const words = parts.map((part) => {
    if ('text' in part) return part.text
    return part.takesRest ? '*' : `:${part.parameter}`
  })
  return `/${words.join('/')}`
}

/** The parameters that fastify has found in a path, by their names. */
export function namedParams(
  parts: readonly PathPart[],
  found: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const named = parts.flatMap((part) => ('parameter' in part ? [part] : []))
  return Object.fromEntries(
    named.map(({ parameter, takesRest }) => [parameter, found[takesRest ? '*' : parameter] ?? '']),
  )
}

/** The parameters in a path, decoded; undefined where the path is another. */
export function matchPath(parts: readonly PathPart[], path: string): Readonly<Record<string, string>> | undefined {
  const texts = path.slice(1).split('/').map(decodePathPart)
  const last = parts.at(-1)
  const takesRest = last !== undefined && 'parameter' in last && last.takesRest
  if (takesRest ? texts.length < parts.length : texts.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of parts.entries()) {
    const text = texts[index] ?? ''
    if ('parameter' in part) params[part.parameter] = part.takesRest ? texts.slice(index).join('/') : text
    else if (part.text !== text) return undefined
  }
  return params
}

function parse(method: string, text: string, params: JsonSchema | undefined) {
  const isAbsolute = text.startsWith('/')
  const path = isAbsolute ? text : `/${text}`
  return { method, path, url: routeUrl(partsOf(path, params)), isAbsolute }
}

function check(
  { method, path }: Pick<Spelling, 'method' | 'path'>,
  params: JsonSchema | undefined,
  text: string,
): void {
  const parts = partsOf(path, params)
  const malformed = parts.find((part, index) => {
    // A path may end with a slash.
    const mayBeEmpty = index > 0 && index === parts.length - 1
    return 'text' in part && !LITERAL.test(part.text) && !(mayBeEmpty && part.text === '')
  })
  if (!METHODS.includes(method) || malformed) throw new Error(`'${text}' is no method and path of an operation`)
  const named = parts.flatMap((part) => ('parameter' in part ? [part.parameter] : []))
  const declared = Object.keys(propertiesOf(params))
  const unknown = named.find((name) => !declared.includes(name))
  if (unknown !== undefined) throw new Error(`'${text}' has a parameter '${unknown}' that its schema has not`)
  const missing = params?.required?.find((name) => !named.includes(name))
  if (missing !== undefined) throw new Error(`'${text}' lacks the parameter '${missing}' of its schema`)
}
