import { takesText, type EventsEntry, type OperationEntry, type SocketEntry, type Spelling } from 'sluice/sdk/host'
import {
  DONE,
  FAILURE,
  inputSchema,
  outputSchema,
  PAGE_FIELDS,
  PROBLEM,
  type ObjectSchema,
  type Schema,
} from './wire-schema.ts'

type Operation = OperationEntry['operation']
type Access = OperationEntry['access']

const FORMAT = {
  name: 'format',
  in: 'query',
  required: false,
  description: 'yaml: the answer as YAML; json: in the envelope {code, data, msg}',
  schema: {
    type: 'string',
    enum: ['yaml', 'json'],
  },
}
/** The descriptions of parameters that have none, by format. */
const PATH_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['stream-path', 'A stream path such as live/test; its slashes may stand as they are'],
  ['stream-paths', 'A stream path, in which each * stands for any text; all streams when empty'],
])
const REFUSED = { description: 'Refused', content: jsonOf(FAILURE) }
const REFUSED_WITH_PROBLEM = {
  description: 'Refused; as JSON where the address itself is none, or too long',
  content: { 'application/problem+json': { schema: PROBLEM }, ...jsonOf(FAILURE) },
}

/** One spelling of an operation, as an OpenAPI object. */
export function describeOperation({ operation, access, query }: OperationEntry, spelling: Spelling): Schema {
  const { params, body, wire, method, errors, reach = 'here' } = operation
  const isBodyInQuery = spelling.method === 'GET'
  const hasFormats = wire === 'bare' && method === 'GET'
  const inQuery = [query, ...(body && isBodyInQuery ? [body as ObjectSchema] : [])]
  return {
    ...headOf(operation, spelling),
    parameters: [...parametersOf(spelling, params, inQuery), ...(hasFormats ? [FORMAT] : [])],
    ...(body && !isBodyInQuery && { requestBody: requestBodyOf(body) }),
    responses: { ...doneOf(operation), default: errors === 'problem' ? REFUSED_WITH_PROBLEM : REFUSED },
    ...securityOf(access),
    'x-reach': typeof reach === 'string' ? reach : Object.keys(reach)[0],
  }
}

/** One spelling of server-sent events, as an OpenAPI object. */
export function describeEvents({ operation, access, query }: EventsEntry, spelling: Spelling): Schema {
  const { params, event } = operation
  return {
    ...headOf(operation, spelling),
    parameters: [...parametersOf(spelling, params, [query]), FORMAT],
    responses: {
      200: {
        description: 'Server-sent events, each the JSON of one value; asked for as JSON, the first value alone',
        content: { 'text/event-stream': { schema: { type: 'string' } }, ...jsonOf(outputSchema(event)) },
      },
      default: REFUSED,
    },
    ...securityOf(access),
    'x-reach': 'here',
  }
}

/** A WebSocket, as an OpenAPI object. */
export function describeSocket({ operation, access, spelling }: SocketEntry): Schema {
  const { params, query } = operation
  return {
    ...headOf(operation, spelling),
    parameters: parametersOf(spelling, params, [query]),
    responses: { 101: { description: 'A WebSocket' }, default: REFUSED },
    ...securityOf(access),
  }
}

function headOf({ summary }: Pick<Operation, 'summary'>, { isAlias }: Spelling): Schema {
  return { summary, ...(isAlias && { deprecated: true }) }
}

function securityOf(access: Access): Schema {
  return { ...(access === 'public' && { security: [] }), 'x-access': access }
}

function parametersOf(
  { path }: Spelling,
  params: ObjectSchema | undefined,
  query: readonly (ObjectSchema | undefined)[],
): Schema[] {
  const named = fieldsOf(params).filter(({ name }) => path.includes(`{${name}}`))
  const inPath = new Set(named.map(({ name }) => name))
  return [
    // All parts of a path are required; a path without an optional part is a spelling of its own.
    ...named.map((field) => ({ ...field, in: 'path', required: true })),
    ...query
      .flatMap(fieldsOf)
      .filter(({ name }) => !inPath.has(name))
      .map((field) => ({ ...field, in: 'query' })),
  ]
}

function fieldsOf(schema: ObjectSchema | undefined) {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...own } = inputSchema(property)
    const text = description ?? PATH_DESCRIPTIONS.get(String(own['format']))
    const required = schema?.required?.includes(name) === true && !('default' in property)
    return { name, required, ...(text !== undefined && { description: text }), schema: own }
  })
}

function requestBodyOf(body: NonNullable<Operation['body']>): Schema {
  const { type, required = [], default: unless }: Schema & { readonly required?: readonly string[] } = { ...body }
  const schema = inputSchema(body)
  const content = { ...jsonOf(schema), ...(takesText(body) && { 'text/plain': { schema: { type: 'string' } } }) }
  return { required: (type !== 'object' || required.length > 0) && unless === undefined, content }
}

/** The response to a request that worked. */
function doneOf(operation: Operation): Schema {
  const { wire, contentType, answer, errors } = operation
  if (wire === 'empty') return { 204: { description: 'Done' } }
  if (contentType !== undefined) {
    const [type = ''] = contentType.split(';')
    return { 200: { description: 'Done', content: { [type]: { schema: outputSchema(answer) } } } }
  }
  const body = answerOf(operation)
  return { 200: { description: 'Done', content: jsonOf(errors === 'in-band' ? { anyOf: [body, FAILURE] } : body) } }
}

/** The schema of the body of an answer. */
function answerOf({ answer, wire = 'envelope', paged = false }: Operation): Schema {
  const data = answer && outputSchema(answer)
  if (wire === 'bare') return data ?? { type: 'object' }
  if (data === undefined) return DONE
  if (wire === 'fields') return { allOf: [DONE, data] }
  const properties = { data, ...(paged && PAGE_FIELDS) }
  return { allOf: [DONE, { type: 'object', required: Object.keys(properties), properties }] }
}

function jsonOf(schema: Schema): Schema {
  return { 'application/json': { schema } }
}
