import { InvalidRequest, StreamPath, Type, type OperationRegistry } from 'sluice/sdk'
import { signedQuery } from '../../auth/signed-query.ts'
import { DEFAULT_EXPIRY_SECONDS, type SectionLookup } from './secret-operation.ts'

const SignedQuery = Type.Object({
  query: Type.Record(Type.String(), Type.String(), {
    description: 'The parameters by their names; none where neither signature nor signed policy is asked for',
  }),
  expire: Type.String({ format: 'date-time' }),
})

/**
 * `GET /api/stream/signedquery/{streamPath}`: what a client is to have in its query to be let in, by the signature and the
 * signed policy, as they are configured for its protocol at present.
 */
export function addSignedQueryOperation(operations: OperationRegistry, sectionOf: SectionLookup): void {
  operations.add({
    method: 'GET',
    path: '/api/stream/signedquery/{streamPath}',
    summary: 'The query by which a stream may be published or played',
    params: Type.Object({ streamPath: StreamPath() }),
    query: Type.Object({
      plugin: Type.String({ description: 'The name of the plugin whose protocol it is for' }),
      action: Type.Union([Type.Literal('publish'), Type.Literal('play')], { default: 'play' }),
      expire: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1e10, description: 'Unix seconds; half an hour from now unless given' }),
      ),
    }),
    answer: SignedQuery,
    // No page of another site may get it.
    access: 'admin',
    handle({ params: { streamPath }, query: { plugin, action, expire } }) {
      const section = sectionOf(plugin)
      if (section === undefined || section.name === 'global') {
        throw new InvalidRequest('plugin must be the name of a plugin that runs')
      }
      const expirySeconds = expire ?? Math.floor(Date.now() / 1000) + DEFAULT_EXPIRY_SECONDS
      const query = signedQuery(section.config, { protocol: section.name, action, streamPath, expirySeconds })
      return { query, expire: new Date(expirySeconds * 1000).toISOString() }
    },
  })
}
