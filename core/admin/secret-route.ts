import type { FastifyInstance } from 'fastify'
import { checkStreamPath, InvalidRequest, SluiceError, type InheritedConfig } from 'sluice/sdk'
import { parseExpiry, sign } from '../auth/signature.ts'
import { refuseForeignPages } from './admin-access.ts'

/** What `expire` is when it is left out: now and this much (spec.md, Limits). */
export const DEFAULT_EXPIRY_SECONDS = 30 * 60

/** The section whose key signs. */
export type SigningSection = {
  /** `global`, or the plugin's name as it spells it. */
  readonly name: string
  readonly config: Readonly<Pick<InheritedConfig, 'publish' | 'subscribe'>>
}

/** The section of `global` or of a plugin; undefined when no plugin of that name runs. */
export type SectionLookup = (section: string) => SigningSection | undefined

class NoKey extends SluiceError {
  constructor(plugin: string, type: string) {
    super('NO_KEY', 404, `${plugin} has no ${type}.key`)
  }
}

/** As fastify parses it: a name that is given twice is a list. */
type SecretQuery = Readonly<Record<string, unknown>>

/** `GET /v6/api/streams/secret`: makes a signature for a publisher or player (spec.md, Endpoints). A bare object. */
export function registerSecretRoute(app: FastifyInstance, sectionOf: SectionLookup): void {
  const options = { onRequest: refuseForeignPages }
  app.get<{ Querystring: SecretQuery }>('/v6/api/streams/secret', options, ({ query }) => {
    const streamPath = checkStreamPath(parameter(query, 'stream_path'))
    const type = parameter(query, 'type', 'publish')
    const expire = parameter(query, 'expire', defaultExpiry())
    const plugin = parameter(query, 'plugin', 'global')
    if (type !== 'publish' && type !== 'subscribe') throw new InvalidRequest('type must be publish or subscribe')
    if (parseExpiry(expire, 'hexadecimal') === undefined)
      throw new InvalidRequest('expire must be Unix seconds in hexadecimal')
    const section = sectionOf(plugin)
    if (section === undefined) throw new InvalidRequest('plugin must be global or the name of a plugin that runs')
    const { name, config } = section
    const { key } = config[type]
    if (key === '') throw new NoKey(name, type)
    return { secret_type: type, plugin: name, stream_path: streamPath, expire, secret: sign(key, streamPath, expire) }
  })
}

/** A parameter without a value is as good as left out. */
function parameter(query: SecretQuery, name: string, otherwise?: string): string {
  const value = query[name] || otherwise
  if (!value) throw new InvalidRequest(`${name} is missing`)
  if (typeof value !== 'string') throw new InvalidRequest(`${name} is given more than once`)
  return value
}

function defaultExpiry(): string {
  return Math.floor(Date.now() / 1000 + DEFAULT_EXPIRY_SECONDS).toString(16)
}
