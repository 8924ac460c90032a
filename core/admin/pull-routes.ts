import type { FastifyInstance } from 'fastify'
import { checkStreamPath, InvalidRequest, PublishConfig, PullRule } from 'sluice/sdk'
import { expectation, quoted } from '../config/expectation.ts'
import { normalizeKey } from '../config/key-name.ts'
import type { JsonSchema } from '../config/schema.ts'
import { readText } from '../config/value-reader.ts'
import type { PullManager } from '../pull/pull-manager.ts'
import type { WantedPull } from '../pull/pull-rules.ts'
import { ok } from '../http/replies.ts'

type Fields = ReadonlyMap<string, unknown>

/** What a request may set for its publisher, in the spelling of the config. */
const PUBLISH_KEYS = [
  ...['pubaudio', 'pubvideo', 'kickexist', 'publishtimeout', 'delayclosetimeout', 'idletimeout'],
  ...['buffertime', 'maxcount'],
] as const
/** What other servers know, and what it must be here: anything else would not be what was asked for. */
const UNSUPPORTED: Readonly<Record<string, readonly unknown[]>> = { testmode: [0], speed: [0, 1], scale: [0, 1] }

/** `POST /api/stream/pull` and `/api/pull/add` (api.md 3.1): publish what is fetched from elsewhere. */
export function registerPullRoutes(
  app: FastifyInstance,
  pulls: Pick<PullManager, 'canPull' | 'protocolOf' | 'request'>,
): void {
  for (const url of ['/api/stream/pull', '/api/pull/add']) {
    app.post(url, async ({ body }) => {
      const wanted = wantedPull(fieldsOf(body), (url) => pulls.protocolOf(url))
      if (!pulls.canPull(wanted.plugin)) throw new InvalidRequest(`no plugin pulls by ${quoted(wanted.plugin)}`)
      await pulls.request(wanted)
      return ok()
    })
  }
}

/** By their normalized names: clients write `streamPath` and `stream_path`. */
function fieldsOf(body: unknown): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidRequest('the body is no object')
  return new Map(Object.entries(body).map(([name, value]) => [normalizeKey(name), value]))
}

function wantedPull(fields: Fields, protocolOf: PullManager['protocolOf']): WantedPull {
  const remoteUrl = textField(fields, 'remoteURL')
  if (remoteUrl === '') throw new InvalidRequest('remoteURL is missing')
  const parsed = URL.parse(remoteUrl)
  // The address may hold secrets, so no message repeats it.
  if (parsed === null || parsed.host === '')
    throw new InvalidRequest('remoteURL is not an address with scheme and host')
  const plugin = textField(fields, 'protocol') || protocolOf(parsed)
  if (plugin === undefined) throw new InvalidRequest('the address does not tell its protocol; give it as protocol')
  for (const [name, harmless] of Object.entries(UNSUPPORTED)) {
    const value = fields.get(name) ?? harmless[0]
    if (!harmless.includes(value)) throw new InvalidRequest(`${name} is not supported`)
  }
  return {
    plugin,
    streamPath: checkStreamPath(textField(fields, 'streamPath') || `pull/${plugin}`),
    rule: { url: remoteUrl, loop: loopOf(fields), maxretry: 0, retryinterval: 0, header: {} },
    publish: publishOf(fields),
  }
}

function textField(fields: Fields, name: string): string {
  const value = fields.get(normalizeKey(name)) ?? ''
  if (typeof value !== 'string') throw new InvalidRequest(`${name} must be a string`)
  return value
}

function loopOf(fields: Fields): number {
  const value = valueOf(fields, 'loop', PullRule as JsonSchema)
  return typeof value === 'number' ? value : 0
}

function publishOf(fields: Fields): WantedPull['publish'] {
  const given = PUBLISH_KEYS.filter((key) => (fields.get(key) ?? undefined) !== undefined)
  return Object.fromEntries(given.map((key) => [key, valueOf(fields, key, PublishConfig as JsonSchema)]))
}

/** Read as the config file's key of that name; undefined when it is not given. */
function valueOf(fields: Fields, key: string, group: JsonSchema): unknown {
  const value = fields.get(key)
  if (value === undefined || value === null) return undefined
  const schema = group.properties?.[key] ?? {}
  const reading = isScalar(value) ? readText(String(value), schema) : undefined
  if (reading === undefined) throw new InvalidRequest(`${key}: expected ${expectation(schema)}`)
  return reading.value
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
