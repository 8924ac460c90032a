import { Ajv, type ValidateFunction } from 'ajv'
import { isStreamPath, parseByteSize, parseDuration, parsePortRange } from 'sluice/sdk'
import { isListenAddress } from '../net/address.ts'
import { isProxyUrl } from '../net/dialer/proxy-url.ts'
import { isNetwork } from '../net/network-list.ts'
import type { JsonSchema } from './schema.ts'

/** An ajv keeps all that it has compiled, so each serves so many schemas, and goes with the last of them that is in use. */
const MAX_SCHEMAS = 64

/** Judges schemas themselves, and keeps none. */
const judge = new Ajv({ strict: false, logger: false })

const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/** Undefined when a value, as written, fits the schema; else what the value "must" be. */
export function violation(schema: JsonSchema, written: unknown): string | undefined {
  const validate = compiled.get(schema) ?? compile(schema)
  return validate(written) ? undefined : (validate.errors?.[0]?.message ?? 'is not valid')
}

let compiler = createCompiler()
let compiledCount = 0

function compile(schema: JsonSchema): ValidateFunction {
  void judge.validateSchema(schema, true)
  if (compiledCount >= MAX_SCHEMAS) {
    compiler = createCompiler()
    compiledCount = 0
  }
  compiledCount++
  const validate = compiler.compile(schema)
  compiled.set(schema, validate)
  return validate
}

// Not strict: the schemas of plugins may carry words that only the admin page knows.
function createCompiler(): Ajv {
  const ajv = new Ajv({ strict: false, logger: false, meta: false, validateSchema: false })
  ajv.addFormat('duration', (text: string) => parseDuration(text) !== undefined)
  ajv.addFormat('auto-duration', (text: string) => text === 'auto' || parseDuration(text) !== undefined)
  ajv.addFormat('byte-size', (text: string) => parseByteSize(text) !== undefined)
  ajv.addFormat('port-range', (text: string) => parsePortRange(text) !== undefined)
  ajv.addFormat('address', (text: string) => text === '' || isListenAddress(text))
  ajv.addFormat('network', isNetwork)
  ajv.addFormat('password', true)
  ajv.addFormat('alias-target', () => true)
  ajv.addFormat('source-url', (text: string) => text !== '' && !/\s/u.test(text))
  ajv.addFormat('target-url', (text: string) => text !== '' && !/\s/u.test(text))
  ajv.addFormat('webhook-url', (text: string) => text === '' || isRequestUrl(text))
  ajv.addFormat('database', true)
  ajv.addFormat('proxy-url', (text: string) => text === '' || isProxyUrl(text))
  ajv.addFormat('stream-path', isStreamPath)
  ajv.addFormat('regular-expression', isRegularExpression)
  ajv.addKeyword({
    keyword: 'durationMaximum',
    type: 'string',
    schemaType: 'string',
    validate: (maximum: string, text: string) => (parseDuration(text) ?? 0) <= (parseDuration(maximum) ?? Infinity),
  })
  return ajv
}

/** Whether a request can be made to an address: by HTTP, to a port that there is, with user information that can be sent. */
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
