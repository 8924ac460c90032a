import { InvalidRequest, quoted, StreamPath, Type, type Jobs, type PluginContext } from 'sluice/sdk'

/** `POST /api/stream/push`: sends a stream elsewhere, by whichever protocol the address tells. */
export function addPushOperations(
  { operations, plugins, jobs: { pushes } }: Pick<PluginContext<unknown>, 'operations' | 'plugins' | 'jobs'>,
  jobs: Jobs,
): void {
  operations.add({
    method: 'POST',
    path: '/api/stream/push',
    summary: 'Push a stream out',
    body: Type.Object({
      streamPath: StreamPath(),
      remoteURL: Type.String({ description: 'Address of the target' }),
      protocol: Type.Optional(Type.String({ description: 'A plugin that pushes; told by the address unless given' })),
    }),
    reach: { stream: 'streamPath' },
    async handle({ body: { streamPath, remoteURL: url, protocol } }) {
      // The address may hold secrets, so no message repeats it.
      if (!URL.canParse(url)) throw new InvalidRequest('remoteURL is no address')
      const plugin = protocol || plugins.protocolOf(url) || pushes.protocolOf(url)
      if (plugin === undefined) throw new InvalidRequest('the address does not tell its protocol; give it as protocol')
      if (!pushes.canPush(plugin)) throw new InvalidRequest(`no plugin pushes by ${quoted(plugin)}`)
      await jobs.push({ protocol: plugin, streamPath, url })
    },
  })
}
