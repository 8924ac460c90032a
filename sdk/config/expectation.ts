import { quoted } from '../errors/quoted.ts'

/** The keywords that tell which values a schema of the config allows. */
type AllowingSchema = {
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly AllowingSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly durationMaximum?: string
}

const FORMATS: Readonly<Record<string, string>> = {
  duration: "a duration such as '500ms', '10s' or '1h30m' (at most 24 days)",
  'auto-duration': "'auto' or a duration such as '100ms'",
  'byte-size': "a size such as '512KB' or '4MB'",
  address: "an address such as ':1935', '127.0.0.1:1935' or '[::1]:1935'",
  'port-range': "ports such as '20001-30000'",
  network: "an address or network such as '127.0.0.1' or '10.0.0.0/8'",
  'source-url': "an address such as 'https://example.com/live.m3u8'",
  'target-url': "an address such as 'rtmp://example.com/live/name'",
  'webhook-url': "an address such as 'http://127.0.0.1:9000/admission', or nothing",
  database: "the path of a file, or an address such as 'postgres://host/sluice'",
  'proxy-url': "a proxy such as 'http://host:8080' or 'socks5://host:1080', or nothing",
  'stream-path': "a stream path such as 'live/test'",
  'regular-expression': 'a regular expression',
}

/** Describes the values that a schema allows, to follow the word "expected". */
export function expectation(schema: AllowingSchema): string {
  if (schema.const !== undefined) return quoted(schema.const)
  const choices = schema.enum?.map(quoted) ?? schema.anyOf?.map(expectation)
  if (choices !== undefined) return choices.join(choices.length > 2 ? ', ' : ' or ').replace(/, (?=[^,]*$)/, ' or ')
  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `an integer${range(schema)}`
    case 'number':
      return `a number${range(schema)}`
    case 'string':
      return stringExpectation(schema)
    case 'array':
      return 'a list'
    case 'object':
      return 'a map'
    default:
      return 'another value'
  }
}

function stringExpectation(schema: AllowingSchema): string {
  const format = FORMATS[schema.format ?? '']
  if (schema.durationMaximum !== undefined) return `${format ?? 'a duration'}, at most ${schema.durationMaximum}`
  if (format !== undefined) return format
  if (schema.pattern !== undefined) return `a string that matches ${schema.pattern}`
  return schema.minLength === undefined ? 'a string' : `a string of at least ${schema.minLength} characters`
}

function range({ minimum, maximum }: AllowingSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}
