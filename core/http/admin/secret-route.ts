import type { FastifyInstance } from 'fastify'
import { InvalidRequest, SluiceError, type InheritedConfig } from 'sluice/sdk'
import { parseHexTime, sign } from '../../auth/signature.ts'
import { checkStreamPath } from '../../stream/stream-path.ts'

/** What `expire` is when it is left out: now and this much (spec.md, Limits). */
export const DEFAULT_EXPIRY_SECONDS = 30 * 60

/** The effective config of `global` or of a plugin; undefined when there is no plugin of that name. */
export type SectionLookup = (section: string) => Readonly<InheritedConfig> | undefined

class NoKey extends SluiceError {
  constructor(plugin: string, type: string) {
    super('NO_KEY', 404, `${plugin} has no ${type}.key`)
  }
}

type SecretQuery = {
  readonly stream_path?: string
  readonly type?: string
  readonly expire?: string
  readonly plugin?: string
}

/** `GET /v6/api/streams/secret`: makes a signature for a publisher or player (spec.md, Endpoints). A bare object. */
export function registerSecretRoute(app: FastifyInstance, sectionOf: SectionLookup): void {
  app.get<{ Querystring: SecretQuery }>('/v6/api/streams/secret', ({ query }) => {
    const { stream_path: streamPath, type = 'publish', plugin = 'global' } = query
    const expire = query.expire ?? Math.floor(Date.now() / 1000 + DEFAULT_EXPIRY_SECONDS).toString(16)
    if (streamPath === undefined) throw new InvalidRequest('stream_path is missing')
    if (type !== 'publish' && type !== 'subscribe') throw new InvalidRequest('type must be publish or subscribe')
    if (parseHexTime(expire) === undefined) throw new InvalidRequest('expire must be Unix seconds in hexadecimal')
    const config = sectionOf(plugin)
    if (config === undefined) throw new InvalidRequest('there is no plugin of that name')
    const { key } = config[type]
    if (key === '') throw new NoKey(plugin, type)
    const secret = sign(key, checkStreamPath(streamPath), expire)
    return { secret_type: type, plugin, stream_path: streamPath, expire, secret }
  })
}
