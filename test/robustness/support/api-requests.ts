import {
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  jsonValue,
  oneof,
  option,
  record,
  string,
  stringMatching,
  tuple,
  type Arbitrary,
} from 'fast-check'
import type { Spelled } from '../../support/api/openapi.ts'
import type { ApiRequest } from './api-client.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

const MAX_INT = 0x7f_ff_ff_ff
/** Few, so that what one request has made is met by another. */
const PATHS = ['film/a', 'live/a', 'live/b', 'cam/a', 'aliased/a', 'constructor', '__proto__', 'live/ü']
/** Texts that may mean something somewhere: nothing listens at the addresses. */
const WORDS = [
  '',
  'rtmp',
  'rtsp',
  'flv',
  'hls',
  'mp4',
  'global',
  'camera',
  'publish',
  'subscribe',
  'json',
  'yaml',
  '7fffffff',
  '1s',
  '100ms',
  '-1s',
  '2026-01-01T00:00:00',
  '1700000000~1700000100',
  'a.*',
  '[',
  'live/a?x=1',
  'rtmp://127.0.0.1:1/live/a',
  'rtsp://127.0.0.1:1/a',
  'http://127.0.0.1:1/a.flv',
  'http://127.0.0.1:1/a.m3u8',
]
const DEEP = '['.repeat(20_000)
const LONG = 'x'.repeat(20_000)
/** What a field may be that is of no good. */
const HOSTILE_VALUES: readonly unknown[] = [
  '../../etc/passwd',
  '..\\..\\x',
  '/etc/passwd',
  'file:///etc/passwd',
  '\0',
  'a\r\nSet-Cookie: x=1',
  '\u2028',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '$(reboot)',
  '<script>',
  '{{7*7}}',
  '%00',
  '%s%n',
  LONG,
  DEEP,
  '1e308',
  '-1',
  '9007199254740993',
  '99999999999999999999',
  'NaN',
  'Infinity',
  '0x10',
  ' 1 ',
  'true',
  'null',
  1e308,
  -1,
  0.5,
  2 ** 53,
  -(2 ** 63),
  null,
  true,
  [],
  {},
  [[]],
  [null],
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__":{"polluted":1}}'),
  { constructor: { prototype: { polluted: 1 } } },
]
const HOSTILE = oneof(
  constantFrom(...HOSTILE_VALUES),
  jsonValue({ maxDepth: 4 }),
  string({ maxLength: 50, unit: 'binary' }),
)
const HOSTILE_PARTS = [
  '..',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%00',
  '%0d%0aX-Injected:%201',
  '%zz',
  '%',
  '%ff',
  '%ed%a0%80',
  '__proto__',
  'constructor',
  '1e308',
  '-1',
  '0',
  'NaN',
  '99999999999999999999',
  '%2F',
  '//',
  '*',
  ':id',
  '%3F',
  LONG.slice(0, 3e3),
  LONG.slice(0, 9e3),
  'a/'.repeat(100),
  '{id}',
  "'",
  '%25%32%65',
]
const HOSTILE_BODIES = [
  '',
  '{',
  '}',
  'null',
  '1',
  '""',
  '[]',
  '"\\u0000"',
  '{"a":',
  '\0',
  '<a/>',
  'a: 1',
  DEEP,
  `{"name":${DEEP}`,
  `${DEEP}${']'.repeat(2e4)}`,
  `{"streamPath":${DEEP}${']'.repeat(2e4)}}`,
  `{"${LONG}":1}`,
  '{"a":1e999}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"a":1,"a":2}',
  '﻿{}',
]
const CONTENT_TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'text/xml',
  'multipart/form-data',
  '',
  'application/json; charset=utf-16',
  'nonsense',
]
const OTHER_HEADERS = constantFrom<Record<string, string>>(
  {},
  { accept: 'application/json' },
  { accept: 'text/event-stream' },
  { authorization: 'Bearer none' },
  { 'access-token': '__proto__' },
  { 'x-http-method-override': 'DELETE' },
)

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

/** Requests for an operation: right by its schemas, nearly right, and hostile. */
export function requestsFor({ method, path, operation }: Spelled): Arbitrary<ApiRequest> {
  const { parameters, requestBody } = operation
  const named = parameters.filter((parameter) => parameter.in === 'path')
  const asked = parameters.filter((parameter) => parameter.in === 'query')
  const parts = record(Object.fromEntries(named.map(({ name, schema }) => [name, partOf(schema)])))
  const query = record(
    Object.fromEntries(asked.map(({ name, schema }) => [name, option(queryValueOf(schema), { freq: 2 })])),
  )
  const schema = requestBody?.content['application/json']?.schema
  const body = method === 'GET' ? constant(undefined) : bodyOf(schema)
  const type = mostly(constant('application/json'), constantFrom(...CONTENT_TYPES))
  return tuple(parts, query, EXTRA_QUERY, body, type, OTHER_HEADERS).map(
    ([chosen, values, extra, sent, given, headers]) => ({
      method,
      target: targetOf(path, chosen, values, extra),
      headers: {
        ...headers,
        ...('101' in operation.responses && UPGRADE),
        ...(sent !== undefined && { 'content-type': given }),
      },
      body: sent,
    }),
  )
}

/** Parameters that nobody has asked for, or twice. */
const EXTRA_QUERY = mostly(
  constant(''),
  constantFrom(
    '__proto__=1',
    'constructor[prototype]=1',
    'pageNum=1&pageNum=2',
    '%zz=%zz',
    '=&=&',
    `a=${LONG.slice(0, 2000)}`,
  ),
)

function targetOf(
  path: string,
  parts: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string | null>>,
  extra: string,
): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
  const asked = [...given, ...(extra === '' ? [] : [extra])].join('&')
  return `${path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => parts[name] ?? '')}?${asked}`
}

/** A part of a path, escaped. */
function partOf(schema: object): Arbitrary<string> {
  const parts = mostly(validValue(schema).map(escaped), oneof(constantFrom(...HOSTILE_PARTS), HOSTILE.map(escaped)))
  // Without it, the path would be another operation's.
  return parts.map((part) => (part === '' ? '%20' : part))
}

function queryValueOf(schema: object): Arbitrary<string> {
  return mostly(validValue(schema).map(escaped), HOSTILE.map(escaped))
}

function bodyOf(schema: Schema | undefined): Arbitrary<string | undefined> {
  if (schema === undefined) return mostly(constant(undefined), constantFrom(...HOSTILE_BODIES))
  const right = validValue(schema)
  const nearly = tuple(right, constantFrom(...Object.keys(schema.properties ?? { any: {} })), HOSTILE).map(
    ([value, name, wrong]) => (isObject(value) ? { ...value, [name]: wrong } : wrong),
  )
  const values = oneof(
    { weight: 4, arbitrary: right },
    { weight: 4, arbitrary: nearly },
    { weight: 1, arbitrary: HOSTILE },
  )
  return mostly(
    values.map((value) => JSON.stringify(value)),
    constantFrom(...HOSTILE_BODIES),
  )
}

/** Values that a schema allows. */
function validValue(schema: Schema): Arbitrary<unknown> {
  const {
    type,
    format,
    pattern,
    enum: words,
    const: word,
    anyOf,
    items,
    minimum,
    maximum,
    properties,
    required = [],
  } = schema
  if (word !== undefined) return constant(word)
  if (words !== undefined) return constantFrom(...words)
  if (anyOf !== undefined) return oneof(...anyOf.map(validValue))
  if (typeof type === 'object') return oneof(...type.map((each) => validValue({ ...schema, type: each })))
  const range = { min: Math.max(minimum ?? -MAX_INT, -MAX_INT), max: Math.min(maximum ?? MAX_INT, MAX_INT) }
  if (type === 'integer') return oneof(integer(range), integer({ ...range, max: Math.min(range.max, range.min + 20) }))
  if (type === 'number') return double({ ...range, noNaN: true })
  if (type === 'boolean') return boolean()
  if (type === 'null') return constant(null)
  if (type === 'array') return array(validValue(items ?? {}), { maxLength: 3 })
  if (type === 'object' && properties !== undefined) {
    const model = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, validValue(each)]))
    return record(model, { requiredKeys: Object.keys(model).filter((name) => required.includes(name)) })
  }
  const [values] = Object.values(schema.patternProperties ?? {})
  if (type === 'object') return dictionary(string({ maxLength: 5 }), values ? validValue(values) : jsonValue())
  if (format === 'stream-path') return constantFrom(...PATHS)
  if (format === 'int64') return integer(range).map(String)
  if (type === 'string' && pattern !== undefined) return stringMatching(new RegExp(pattern, 'u'), { maxLength: 20 })
  return type === 'string' ? oneof(constantFrom(...WORDS, ...PATHS), string({ maxLength: 8 })) : jsonValue()
}

function mostly<Value>(right: Arbitrary<Value>, wrong: Arbitrary<Value>): Arbitrary<Value> {
  return oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: wrong })
}

function escaped(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
