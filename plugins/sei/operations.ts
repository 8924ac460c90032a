import { StreamPath, Type, type PluginContext } from 'sluice/sdk'
import { SEI_MAX_PAYLOAD_TYPE } from 'sluice/sdk/media'
import type { DerivedStreams } from './derived-streams.ts'
import { seiMessageOf, USER_DATA_UNREGISTERED } from './insertion.ts'

/** The plugin's own operation (api.md 8.6). */
export function addOperations(
  { operations }: Pick<PluginContext<unknown>, 'operations'>,
  streams: DerivedStreams,
): void {
  operations.add({
    method: 'POST',
    path: 'api/insert/{streamPath}',
    summary: 'Insert an SEI message into the pictures of a stream',
    params: Type.Object({ streamPath: StreamPath() }),
    query: Type.Object({
      type: Type.Integer({
        default: USER_DATA_UNREGISTERED,
        minimum: 0,
        maximum: SEI_MAX_PAYLOAD_TYPE,
        description: 'SEI payload type; 5 is user_data_unregistered',
      }),
      targetStreamPath: Type.Optional(StreamPath()),
      format: Type.Union([Type.Literal('string'), Type.Literal('json'), Type.Literal('base64')], {
        default: 'string',
        description: 'What the text is: taken as it is, checked to be JSON, or bytes in base64',
      }),
    }),
    body: Type.String({ minLength: 1, description: 'The payload of the message' }),
    reach: { stream: 'streamPath' },
    async handle({ params: { streamPath }, query, body: data }) {
      const { type, format, targetStreamPath = `${streamPath}/sei` } = query
      await streams.insert(streamPath, targetStreamPath, seiMessageOf({ type, format, data }))
    },
  })
}
