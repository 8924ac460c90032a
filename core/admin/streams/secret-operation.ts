import {
  checkStreamPath,
  InvalidRequest,
  SluiceError,
  Type,
  type InheritedConfig,
  type OperationRegistry,
} from 'sluice/sdk'
import { parseExpiry, sign } from '../../auth/signature.ts'

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

const SecretQuery = Type.Object({
  stream_path: Type.String(),
  type: Type.Union([Type.Literal('publish'), Type.Literal('subscribe')], { default: 'publish' }),
  expire: Type.Optional(
    Type.String({ description: 'Unix seconds in hexadecimal; half an hour from now unless given' }),
  ),
  plugin: Type.String({ default: 'global', description: 'Whose key signs' }),
})

const Secret = Type.Object({
  secret_type: Type.String(),
  plugin: Type.String(),
  stream_path: Type.String(),
  expire: Type.String(),
  secret: Type.String(),
})

/** `GET /v6/api/streams/secret`: makes a signature for a publisher or player (spec.md, Endpoints). A bare object. */
export function addSecretOperation(operations: OperationRegistry, sectionOf: SectionLookup): void {
  operations.add({
    method: 'GET',
    path: '/v6/api/streams/secret',
    summary: 'Get stream auth secret',
    query: SecretQuery,
    answer: Secret,
    wire: 'bare',
    // No page of another site may have it.
    access: 'admin',
    handle({ query }) {
      const { type, expire = defaultExpiry(), plugin } = query
      const streamPath = checkStreamPath(query.stream_path)
      if (parseExpiry(expire, 'hexadecimal') === undefined)
        throw new InvalidRequest('expire must be Unix seconds in hexadecimal')
      const section = sectionOf(plugin)
      if (section === undefined) throw new InvalidRequest('plugin must be global or the name of a plugin that runs')
      const { name, config } = section
      const { key } = config[type]
      if (key === '') throw new NoKey(name, type)
      return { secret_type: type, plugin: name, stream_path: streamPath, expire, secret: sign(key, streamPath, expire) }
    },
  })
}

function defaultExpiry(): string {
  return Math.floor(Date.now() / 1000 + DEFAULT_EXPIRY_SECONDS).toString(16)
}
