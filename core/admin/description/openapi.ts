import type { EventsEntry, OperationEntry, SocketEntry, Spelling } from 'sluice/sdk/host'
import type { OperationsOfOwner } from '../../http/http-host.ts'

type Schema = Readonly<Record<string, unknown>>
type Operation = OperationEntry['operation']
/** What is looked at of the schema of an object. */
type JsonSchema = {
  readonly properties?: Readonly<Record<string, object>> | undefined
  readonly required?: readonly string[] | undefined
}
/** The operations of one path, by their methods in lower case. */
type PathItem = Record<string, Readonly<Record<string, unknown>>>

/** Bodies of errors, and of answers that say no more than that it worked. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  Done: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'integer', description: '0' }, message: { type: 'string' } },
  },
  Failure: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: {
        type: 'integer',
        description: 'The gRPC status code; the HTTP status where errors are in the body alone',
      },
      message: { type: 'string' },
      details: { type: 'array', maxItems: 0 },
    },
  },
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457)',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
    },
  },
}
const COUNT = { type: 'integer' }
const INPUT_INT64 = { type: ['string', 'integer'], format: 'int64' }
const OUTPUT_INT64 = { type: 'string', format: 'int64' }
const DONE = { $ref: '#/components/schemas/Done' }
const FAILURE = { $ref: '#/components/schemas/Failure' }
const PROBLEM = { $ref: '#/components/schemas/Problem' }
const FORMAT = {
  ...{ name: 'format', in: 'query', required: false },
  schema: { enum: ['yaml', 'json'], description: 'yaml: the answer as YAML; json: in the envelope {code, data, msg}' },
}

/** An OpenAPI 3.1 document of operations. */
export function openApiDocument(owners: readonly OperationsOfOwner[], version: string): Schema {
  const paths: Record<string, PathItem> = {}
  const add = (spelling: Spelling, mounts: readonly string[], description: Schema) => {
    for (const path of pathsOf(spelling, mounts)) (paths[path] ??= {})[spelling.method.toLowerCase()] ??= description
  }
  for (const { mounts, operations } of owners) {
    for (const entry of operations.entries) {
      for (const spelling of entry.spellings) add(spelling, mounts, describe(entry, spelling))
    }
    for (const entry of operations.eventsEntries) {
      for (const spelling of entry.spellings) add(spelling, mounts, describeEvents(entry, spelling))
    }
    for (const entry of operations.socketEntries) add(entry.spelling, mounts, describeSocket(entry))
  }
  return { openapi: '3.1.0', info: { title: 'Sluice', version }, paths, components: { schemas: SCHEMAS } }
}

function pathsOf({ path, isAbsolute }: Spelling, mounts: readonly string[]): string[] {
  if (isAbsolute) return [path]
  return mounts.map((mount) => (mount === '' ? path : `/${mount}${path}`))
}

function describe({ operation, access, query }: OperationEntry, { path, isAlias }: Spelling): Schema {
  const { summary, params, body, wire, method, reach = 'here' } = operation
  const hasFormats = wire === 'bare' && method === 'GET'
  return {
    summary,
    ...(isAlias && { deprecated: true }),
    parameters: [...parametersOf(path, params, query), ...(hasFormats ? [FORMAT] : [])],
    ...(body && { requestBody: { content: jsonOf(schemaOf(body, INPUT_INT64)) } }),
    responses: {
      ...doneOf(operation),
      default: { description: 'Refused', content: operation.errors === 'problem' ? problemOf() : jsonOf(FAILURE) },
    },
    'x-access': access,
    'x-reach': typeof reach === 'string' ? reach : Object.keys(reach)[0],
  }
}

/** The response to a request that worked. */
function doneOf(operation: Operation): Schema {
  const { wire, contentType, answer, errors } = operation
  if (wire === 'empty') return { 204: { description: 'Done' } }
  if (contentType !== undefined) {
    const [type = ''] = contentType.split(';')
    return { 200: { description: 'Done', content: { [type]: { schema: schemaOf(answer, OUTPUT_INT64) } } } }
  }
  const body = answerOf(operation)
  return { 200: { description: 'Done', content: jsonOf(errors === 'in-band' ? { anyOf: [body, FAILURE] } : body) } }
}

function describeEvents({ operation, access, query }: EventsEntry, { path, isAlias }: Spelling): Schema {
  const { summary, params, event } = operation
  const schema = schemaOf(event, OUTPUT_INT64)
  return {
    summary,
    ...(isAlias && { deprecated: true }),
    parameters: [...parametersOf(path, params, query), FORMAT],
    responses: {
      200: {
        description: 'Server-sent events, each the JSON of one value; asked for as JSON, the first value alone',
        content: { 'text/event-stream': { schema: { type: 'string' } }, ...jsonOf(schema) },
      },
      default: { description: 'Refused', content: jsonOf(FAILURE) },
    },
    'x-access': access,
    'x-reach': 'here',
  }
}

function describeSocket({ operation: { summary, params, query }, access, spelling: { path } }: SocketEntry): Schema {
  return {
    summary,
    parameters: parametersOf(path, params, query),
    responses: {
      101: { description: 'A WebSocket' },
      default: { description: 'Refused', content: jsonOf(FAILURE) },
    },
    'x-access': access,
  }
}

function parametersOf(path: string, params: JsonSchema | undefined, query: JsonSchema | undefined): Schema[] {
  const named = fieldsOf(params).filter(({ name }) => path.includes(`{${name}}`))
  return [
    // A path has all its parts; one that may be left out has a spelling of its own.
    ...named.map(({ name, schema }) => ({ name, in: 'path', required: true, schema })),
    ...fieldsOf(query).map((field) => ({ ...field, in: 'query' })),
  ]
}

function fieldsOf(schema: JsonSchema | undefined) {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    required: schema?.required?.includes(name) === true && !('default' in property),
    schema: schemaOf(property, INPUT_INT64),
  }))
}

/** The schema of the body of an answer, as it goes on the wire. */
function answerOf({ answer, wire = 'envelope', paged = false }: Operation): Schema {
  const data = answer && schemaOf(answer, OUTPUT_INT64)
  if (wire === 'bare') return data ?? { type: 'object' }
  if (data === undefined) return DONE
  if (wire === 'fields') return { allOf: [DONE, data] }
  const properties = { data, ...(paged && { total: COUNT, pageNum: COUNT, pageSize: COUNT }) }
  return { allOf: [DONE, { type: 'object', required: Object.keys(properties), properties }] }
}

function problemOf(): Schema {
  return { 'application/problem+json': { schema: PROBLEM } }
}

function jsonOf(schema: Schema): Schema {
  return { 'application/json': { schema } }
}

/** A schema as it is on the wire, where long integers are not what they are for handlers. */
function schemaOf(schema: unknown, int64: Schema): Schema {
  const plain: unknown = JSON.parse(JSON.stringify(schema), (_key, value: unknown) => (isInt64(value) ? int64 : value))
  return plain as Schema
}

function isInt64(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 'int64'
}
