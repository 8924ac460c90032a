/** A JSON Schema, or a part of an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>

/** The keywords of the schema of an object that are read. */
export type ObjectSchema = {
  readonly properties?: Readonly<Record<string, object>> | undefined
  readonly required?: readonly string[] | undefined
}

const COUNT = { type: 'integer', minimum: 0 }
const INPUT_INT64 = { type: ['string', 'integer'], format: 'int64' }
const OUTPUT_INT64 = { type: 'string', format: 'int64', pattern: '^-?[0-9]+$' }

/** The bodies of errors, and of answers that contain no data. */
export const COMMON_SCHEMAS: Readonly<Record<string, Schema>> = {
  Done: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'integer', description: '0' }, message: { type: 'string' } },
    examples: [{ code: 0, message: 'success' }],
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
    examples: [{ code: 5, message: 'not found', details: [] }],
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
    examples: [{ type: 'about:blank', title: 'Not Found', status: 404, detail: 'not found' }],
  },
}
export const DONE = { $ref: '#/components/schemas/Done' }
export const FAILURE = { $ref: '#/components/schemas/Failure' }
export const PROBLEM = { $ref: '#/components/schemas/Problem' }
/** The fields beside the items of a page of a list. */
export const PAGE_FIELDS = { total: COUNT, pageNum: COUNT, pageSize: COUNT }

/** The schema of a value that a client sends. */
export function inputSchema(schema: unknown): Schema {
  return wireSchema(schema, INPUT_INT64)
}

/** The schema of a value that a client receives. */
export function outputSchema(schema: unknown): Schema {
  return wireSchema(schema, OUTPUT_INT64)
}

/** The schema of a value on the wire, where long integers have another form than in handlers. */
function wireSchema(schema: unknown, int64: Schema): Schema {
  const plain: unknown = JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isInt64(value)) return value
    const { minimum: _minimum, maximum: _maximum, ...rest } = value
    return { ...rest, ...int64 }
  })
  return plain as Schema
}

function isInt64(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 'int64'
}
