import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { InvalidRequest } from '../errors/stream-errors.ts'
import { checkStreamPath } from '../stream/stream-path.ts'
import { isPathFormat } from './spelling.ts'
import { isNullable, isObject, memberFor, propertiesOf, valuesOf, type JsonSchema } from './json-schema.ts'

/** The schemas of what an operation takes. */
export type InputSchemas = {
  readonly params: JsonSchema | undefined
  readonly query: JsonSchema | undefined
  readonly body?: JsonSchema | undefined
  /** The fields of the body are in the query, as older clients write them that ask by `GET`. */
  readonly isBodyInQuery?: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The input of an operation; parameters by their names. */
export type Input = { readonly params: Fields; readonly query: Fields; readonly body: unknown }

/** The deepest nesting of lists and objects in a body: far less than the functions that read it can endure. */
const MAX_BODY_DEPTH = 64
// Not strict: the schemas of plugins may carry words that only the admin page knows.
const OPTIONS = { strict: false, logger: false, verbose: true, coerceTypes: true, useDefaults: true } as const
/** Judges schemas themselves, and keeps none. */
const judge = new Ajv(OPTIONS)

/** Reads what requests bring by the schemas of an operation. */
export class InputReader {
  readonly #schemas: InputSchemas
  /** The compiled schemas; compiled when the first request comes, as most operations of a server are hardly ever used. */
  #validate: ValidateFunction | undefined

  constructor(schemas: InputSchemas) {
    this.#schemas = schemas
  }

  /** @throws {InvalidRequest} when a parameter or field is missing or wrong; the message names it */
  read({ params, query, body }: Input): Input {
    const schemas = this.#schemas
    const named = readFields(propertiesOf(schemas.params), params)
    const input = {
      params: named,
      query: readQuery(propertiesOf(schemas.query), query),
      ...(schemas.body && { body: withPathFields(schemas.body, this.#readBody(schemas.body, body, query), named) }),
    }
    this.#validate ??= compile(schemas)
    if (!this.#validate(input)) throw new InvalidRequest(explain(this.#validate.errors ?? undefined))
    return { body: undefined, ...input }
  }

  #readBody(schema: JsonSchema, body: unknown, query: Fields): unknown {
    if (this.#schemas.isBodyInQuery) return readQuery(propertiesOf(schema), query)
    if (isNestedDeeper(body, MAX_BODY_DEPTH)) throw new InvalidRequest('the body is nested too deeply')
    return readValue(schema, body ?? (schema.properties && {}))
  }
}

function isNestedDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((item) => isNestedDeeper(item, depth - 1))
}

/** A field of the body that the path has, too, gets the value of the path (api.md 1). */
function withPathFields(schema: JsonSchema, body: unknown, params: Fields): unknown {
  const common = Object.keys(propertiesOf(schema)).filter((name) => Object.hasOwn(params, name))
  if (common.length === 0 || !isObject(body)) return body
  return { ...body, ...Object.fromEntries(common.map((name) => [name, params[name]])) }
}

function compile({ params = {}, query = {}, body }: InputSchemas): ValidateFunction {
  const properties = { params, query, ...(body && { body }) }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  void judge.validateSchema(schema, true)
  // An ajv keeps all that it has compiled; the schemas of a replaced plugin must go with it.
  return new Ajv({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema)
}

/** A path in which `*` stands for any text; otherwise as a stream path. */
function checkStreamPaths(given: string): string {
  checkStreamPath(given.replaceAll('*', '-'))
  return given.replace(/^\/+|\/+$/gu, '')
}

/** Renames values to the names of the schema, and leaves out unset values and names that the schema has not. */
function readValue(schema: JsonSchema, value: unknown): unknown {
  const own = memberFor(schema, value)
  if (own.format === 'stream-path' && typeof value === 'string') return checkStreamPath(value)
  if (own.format === 'stream-paths' && typeof value === 'string') return checkStreamPaths(value)
  if (Array.isArray(value)) return value.map((item) => readValue(own.items ?? {}, item))
  if (!isObject(value)) return value
  const values = valuesOf(own)
  if (values) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readValue(values, item)]))
  return own.properties === undefined ? value : readFields(own.properties, value)
}

function readFields(properties: Readonly<Record<string, JsonSchema>>, given: Fields): Record<string, unknown> {
  const names = new Map(Object.keys(properties).map((name) => [normalized(name), name]))
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(properties, key) ? key : names.get(normalized(key))
    if (name === undefined || (name !== key && Object.hasOwn(given, name))) continue
    const schema = properties[name] ?? {}
    if (!isUnset(schema, value)) fields.set(name, readValue(schema, value))
  }
  return Object.fromEntries(fields)
}

/** A parameter without a value is as good as left out. */
function readQuery(properties: Readonly<Record<string, JsonSchema>>, query: Fields): Fields {
  const read = readFields(properties, query)
  for (const [name, value] of Object.entries(read)) {
    const isList = properties[name]?.type === 'array'
    if (isList) read[name] = [value].flat()
    else if (Array.isArray(value)) throw new InvalidRequest(`${name} is given more than once`)
    else if (value === '') delete read[name]
  }
  return read
}

function isUnset(schema: JsonSchema, value: unknown): boolean {
  if (value === null) return !isNullable(schema)
  return isPathFormat(schema.format) && typeof value === 'string' && /^\/*$/u.test(value)
}

/** The form in which names are compared: `streamPath` and `stream_path` are `streampath`. */
function normalized(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

function explain(errors: readonly ErrorObject[] = []): string {
  // The last error is of the outermost schema, and describes best a value that is not in a list of words.
  const words = wordsOf(errors.at(-1)?.parentSchema as JsonSchema | undefined)
  const error = words.length > 0 ? errors.at(-1) : errors[0]
  const [part = '', ...path] = error?.instancePath.slice(1).split('/') ?? []
  const params: Readonly<Record<string, unknown>> = error?.params ?? {}
  const missing = error?.keyword === 'required' ? [String(params['missingProperty'])] : []
  const name = [...path, ...missing].join('.') || `the ${part}`
  if (missing.length > 0) return `${name} is missing`
  if (words.length > 0) return `${name} must be ${words.join(' or ')}`
  const { keyword, message = 'is not valid' } = error ?? {}
  return `${name} ${keyword === 'type' ? withArticle(message) : message}`
}

/** `must be an integer`, where ajv says `must be integer`. */
function withArticle(message: string): string {
  return message.replace(/^must be (?=(?<vowel>[aeiou])?)/u, (_, vowel) => (vowel ? 'must be an ' : 'must be a '))
}

/** The words of which a value must be one; empty where it may be something else. */
function wordsOf({ const: word, enum: words = [], anyOf: members = [] }: JsonSchema = {}): readonly unknown[] {
  if (word !== undefined) return [word]
  if (words.length > 0) return words
  return members.every((member) => member.const !== undefined) ? members.map((member) => member.const) : []
}
