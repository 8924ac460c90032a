import {
  commentOf,
  membersType,
  objectType,
  quoted,
  TEXT_TYPES,
  typescriptOfSchema,
  type Schema,
} from './typescript-of-schema.ts'

type Content = Readonly<Record<string, { readonly schema: Schema }>>
type Parameter = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}
/** An operation of an OpenAPI document, as far as types can tell of it. */
type Operation = {
  readonly summary: string
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** The OpenAPI document of a server, as far as types can tell of it. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const HEAD = `// Made of the server's description of its API by scripts/api-types.ts.

`
const PATHS_COMMENT = `/**
 * All operations of a server with all of its plugins, by method and path. \`params\` are the parts of the path, \`answer\` is the
 * body of an answer that succeeded, and \`event\` one value of server-sent events.
 */
`
const FAILURE_REFERENCE = '#/components/schemas/Failure'
const JSON_TYPE = 'application/json'
const EVENTS_TYPE = 'text/event-stream'
/** The type of parameters where there are none: unlike \`{}\`, it takes no other ones. */
const NOTHING = 'Record<string, never>'

/** The length of types that are written out once. */
const SHARED_LINES = 6

/** The types of what an operation takes and gives. */
type Fields = Readonly<Record<'params' | 'query' | 'body' | 'answer' | 'event', string>>
type Declared = { readonly path: string; readonly key: string; readonly operation: Operation; readonly fields: Fields }

/** The text of a module with the types of all operations of a document. */
export function declarationsOf({ paths, components }: ApiDocument): string {
  const texts = [...TEXT_TYPES.values()].map(({ name, comment }) => declaration(name, comment, 'string'))
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    declaration(name, schema['description'], typescriptOfSchema(schema)),
  )
  return `${HEAD}${[...texts, ...schemas].join('')}${PATHS_COMMENT}export interface Paths ${pathsType(paths)}\n`
}

function declaration(name: string, comment: unknown, type: string): string {
  return `${commentOf(comment)}export type ${name} = ${type}\n\n`
}

function pathsType(paths: ApiDocument['paths']): string {
  const declared = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Declared => {
      return { path, key: `${method.toUpperCase()} ${path}`, operation, fields: fieldsOf(operation) }
    }),
  )
  // The order does not depend on that of plugins.
  const inOrder = declared.toSorted((a, b) => compare(a.path, b.path) || compare(a.key, b.key))
  const isOlder = ({ operation }: Declared) => operation.deprecated === true
  const types = new SharedTypes()
  // Older spellings refer to the present ones, wherever they stand.
  const byAge = [...inOrder.filter((each) => !isOlder(each)), ...inOrder.filter(isOlder)]
  const members = new Map(byAge.map((each) => [each.key, memberOf(each, types.of(each))]))
  return membersType(inOrder.map(({ key }) => members.get(key) ?? ''))
}

function memberOf({ key, operation }: Declared, type: string): string {
  const { summary, deprecated } = operation
  const failure =
    failsInBand(operation) && 'A failure may have the status 200, too: the body is a {@link Failure} then.'
  const older = deprecated === true && '@deprecated An older spelling.'
  return `${commentOf(summary, failure, older)}${quoted(key)}: ${type}`
}

/** The types of operations, in which a long type is written out once. */
class SharedTypes {
  readonly #operations = new Map<string, string>()
  readonly #fields = new Map<string, string>()

  of({ key, operation, fields }: Declared): string {
    const place = `Paths[${quoted(key)}]`
    // Operations with one summary and the same types are spellings of one.
    const identity = JSON.stringify([operation.summary, fields])
    const same = this.#operations.get(identity)
    if (same !== undefined) return same
    this.#operations.set(identity, place)
    const members = Object.entries(fields).map(([name, type]) => {
      const comment = name === 'body' ? commentOf(jsonSchemaOf(operation.requestBody)?.['description']) : ''
      return `${comment}${name}: ${this.#written(type, `${place}[${quoted(name)}]`)}`
    })
    return membersType(members)
  }

  /** Returns a short or new type as it is, and for others the place where they are written out. */
  #written(type: string, place: string): string {
    if (type.split('\n').length < SHARED_LINES) return type
    const known = this.#fields.get(type)
    if (known === undefined) this.#fields.set(type, place)
    return known ?? type
  }
}

function fieldsOf(operation: Operation): Fields {
  const { parameters, requestBody } = operation
  const body = requestBody === undefined ? undefined : typeOfContent(requestBody.content)
  const succeeded = successOf(operation)
  const answer = succeeded === undefined ? 'never' : typeOfContent(succeeded.content)
  return {
    params: typeOfParameters(parameters.filter((parameter) => parameter.in === 'path')),
    query: typeOfParameters(parameters.filter((parameter) => parameter.in === 'query')),
    body: body === undefined ? 'undefined' : requestBody?.required === true ? body : `${body} | undefined`,
    answer,
    event: succeeded?.content?.[EVENTS_TYPE] === undefined ? 'never' : answer,
  }
}

/** The response of success; undefined for a WebSocket, which has none. */
function successOf({ responses }: Operation): Operation['responses'][string] | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
}

function typeOfParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return NOTHING
  const required = new Set(parameters.filter((parameter) => parameter.required).map(({ name }) => name))
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }])
  return objectType(Object.fromEntries(properties) as Schema, (name) => required.has(name))
}

/** The type of a body, which is JSON where it may be so. */
function typeOfContent(content: Content = {}): string {
  const schema = jsonSchemaOf({ content })
  if (schema !== undefined) return typescriptOfSchema(withoutFailure(schema))
  const [type] = Object.keys(content)
  if (type === undefined) return 'undefined'
  return type.startsWith('text/') ? 'string' : 'Blob'
}

function jsonSchemaOf(message: { readonly content?: Content } | undefined): Schema | undefined {
  return message?.content?.[JSON_TYPE]?.schema
}

function failsInBand(operation: Operation): boolean {
  const schema = jsonSchemaOf(successOf(operation))
  return schema !== undefined && withoutFailure(schema) !== schema
}

/** The schema of success where a body may also be a failure. */
function withoutFailure(schema: Schema): Schema {
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return schema
  const others = (anyOf as Schema[]).filter(({ $ref }) => $ref !== FAILURE_REFERENCE)
  return others.length === anyOf.length ? schema : { anyOf: others }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
