import {
  checkStreamPath,
  InvalidRequest,
  SluiceError,
  StreamPath,
  Type,
  type InheritedConfig,
  type OperationRegistry,
  type Static,
} from 'sluice/sdk'
import { parseExpiry, sign } from '../../auth/signature.ts'

/** The time from now to the default of `expire`, in seconds (spec.md, Limits). */
export const DEFAULT_EXPIRY_SECONDS = 30 * 60

/** The section that has the key of a signature. */
export type SigningSection = {
  /** `global`, or the plugin's name in the plugin's spelling. */
  readonly name: string
  readonly config: Readonly<InheritedConfig>
}

/** Finds the section of `global` or of a plugin; undefined when no plugin of that name runs. */
export type SectionLookup = (section: string) => SigningSection | undefined

class NoKey extends SluiceError {
  constructor(plugin: string, type: string) {
    super('NO_KEY', 404, `${plugin} has no ${type}.key`)
  }
}

const Direction = Type.Union([Type.Literal('publish'), Type.Literal('subscribe')])
type Direction = Static<typeof Direction>

const Expire = Type.Optional(
  Type.String({ description: 'Unix seconds in hexadecimal; half an hour from now unless given' }),
)

const SecretQuery = Type.Object({
  stream_path: Type.String(),
  type: Type.Union(Direction.anyOf, { default: 'publish' }),
  expire: Expire,
  plugin: Type.String({ default: 'global', description: 'Whose key signs' }),
})

const Secret = Type.Object({
  secret_type: Type.String(),
  plugin: Type.String(),
  stream_path: Type.String(),
  expire: Type.String(),
  secret: Type.String(),
})

/** The values to sign, and the section whose key signs them. */
type Wanted = {
  readonly type: Direction
  readonly plugin?: string | undefined
  readonly streamPath: string
  readonly expire?: string | undefined
}

/**
 * `GET /v6/api/streams/secret`: makes a signature for a publisher or player (spec.md, Endpoints), a bare object. Older
 * clients request the bare text, `GET /api/secret/{type}/{sp}` and `GET /{plugin}/api/secret/{type}/{sp}` (api.md 3.1).
 */
export function addSecretOperation(operations: OperationRegistry, sectionOf: SectionLookup): void {
  const signed = ({ type, plugin = 'global', streamPath, expire = defaultExpiry() }: Wanted): Static<typeof Secret> => {
    if (parseExpiry(expire, 'hexadecimal') === undefined)
      throw new InvalidRequest('expire must be Unix seconds in hexadecimal')
    const section = sectionOf(plugin)
    if (section === undefined) throw new InvalidRequest('plugin must be global or the name of a plugin that runs')
    const { name, config } = section
    const { key } = config[type]
    if (key === '') throw new NoKey(name, type)
    return { secret_type: type, plugin: name, stream_path: streamPath, expire, secret: sign(key, streamPath, expire) }
  }

  operations.add({
    method: 'GET',
    path: '/v6/api/streams/secret',
    summary: 'Get stream auth secret',
    query: SecretQuery,
    answer: Secret,
    wire: 'bare',
    // No page of another site may get the signature.
    access: 'admin',
    handle: ({ query: { stream_path: path, ...query } }) => signed({ ...query, streamPath: checkStreamPath(path) }),
  })

  operations.add({
    method: 'GET',
    path: '/{plugin}/api/secret/{type}/{streamPath}',
    aliases: ['/api/secret/{type}/{streamPath}'],
    summary: 'Get stream auth secret, as older clients ask for it',
    params: Type.Object({ plugin: Type.Optional(Type.String()), type: Direction, streamPath: StreamPath() }),
    query: Type.Object({ expire: Expire }),
    answer: Type.String(),
    contentType: 'text/plain; charset=utf-8',
    access: 'admin',
    handle: ({ params, query }) => signed({ ...params, ...query }).secret,
  })
}

function defaultExpiry(): string {
  return Math.floor(Date.now() / 1000 + DEFAULT_EXPIRY_SECONDS).toString(16)
}
