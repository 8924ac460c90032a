import { Ajv, type ValidateFunction } from 'ajv'
import { isStreamPath, parseByteSize, parseDuration, parsePortRange } from 'sluice/sdk'
import { isListenAddress } from '../net/address.ts'
import { isProxyUrl } from '../net/dialer/proxy-url.ts'
import { isNetwork } from '../net/network-list.ts'
import { isWithin, plainFit, type Formats } from './plain-fit.ts'
import type { JsonSchema } from './schema.ts'

/** The most schemas of one ajv, which keeps all that it has compiled and is freed with the last of them. */
const MAX_SCHEMAS = 64

/** The formats of texts in the config. */
const FORMATS: Formats = {
  duration: (text) => parseDuration(text) !== undefined,
  'auto-duration': (text) => text === 'auto' || parseDuration(text) !== undefined,
  'byte-size': (text) => parseByteSize(text) !== undefined,
  'port-range': (text) => parsePortRange(text) !== undefined,
  address: (text) => text === '' || isListenAddress(text),
  network: isNetwork,
  password: () => true,
  'alias-target': () => true,
  'source-url': (text) => text !== '' && !/\s/u.test(text),
  'target-url': (text) => text !== '' && !/\s/u.test(text),
  'webhook-url': (text) => text === '' || isRequestUrl(text),
  database: () => true,
  'proxy-url': (text) => text === '' || isProxyUrl(text),
  'stream-path': isStreamPath,
  'regular-expression': isRegularExpression,
}

const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/**
 * Returns true when a value, as written, fits the schema. Compiles the schema only where necessary, which takes a hundred
 * times as long.
 */
export function fits(schema: JsonSchema, written: unknown): boolean {
  return plainFit(schema, written, FORMATS) ?? violation(schema, written) === undefined
}

/** Returns undefined when a value, as written, fits the schema; else the error, such as "must be integer". */
export function violation(schema: JsonSchema, written: unknown): string | undefined {
  if (plainFit(schema, written, FORMATS) === true) return undefined
  const validate = compiled.get(schema) ?? compile(schema)
  return validate(written) ? undefined : (validate.errors?.[0]?.message ?? 'is not valid')
}

/** The ajv that checks the schemas themselves, and keeps none. */
let judge: Ajv | undefined
let compiler: Ajv | undefined
let compiledCount = 0

function compile(schema: JsonSchema): ValidateFunction {
  judge ??= new Ajv({ strict: false, logger: false })
  void judge.validateSchema(schema, true)
  if (compiledCount >= MAX_SCHEMAS) {
    compiler = undefined
    compiledCount = 0
  }
  compiler ??= createCompiler()
  compiledCount++
  const validate = compiler.compile(schema)
  compiled.set(schema, validate)
  return validate
}

// The mode is not strict, as the schemas of plugins may have keywords that only the admin page knows.
function createCompiler(): Ajv {
  const ajv = new Ajv({ strict: false, logger: false, meta: false, validateSchema: false })
  for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, validate)
  ajv.addKeyword({
    keyword: 'durationMaximum',
    type: 'string',
    schemaType: 'string',
    validate: isWithin,
  })
  return ajv
}

/** True when an HTTP request can be made to an address: with a valid port, and user information that can be sent. */
function isRequestUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false
  const { port, username, password } = new URL(text)
  return port !== '0' && isEncodedText(username) && isEncodedText(password)
}

function isEncodedText(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}
