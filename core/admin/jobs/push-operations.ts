import { InvalidRequest, StreamPath, Type, type OperationRegistry } from 'sluice/sdk'
import { quoted } from '../../config/expectation.ts'
import type { PushManager } from '../../jobs/push-manager.ts'

/** An operator's push is tried once. */
const ONCE = { maxretry: 0, retryinterval: 0, proxy: '', header: {} }

/**
 * `POST /api/stream/push`: sends a stream elsewhere, by whichever protocol the address tells.
 * @param protocolOf tells the protocol of an address by the definitions of the plugins
 */
export function addPushOperations(
  operations: OperationRegistry,
  pushes: Pick<PushManager, 'canPush' | 'protocolOf' | 'request'>,
  protocolOf: (url: string) => string | undefined,
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
      const plugin = protocol || protocolOf(url) || pushes.protocolOf(url)
      if (plugin === undefined) throw new InvalidRequest('the address does not tell its protocol; give it as protocol')
      if (!pushes.canPush(plugin)) throw new InvalidRequest(`no plugin pushes by ${quoted(plugin)}`)
      await pushes.request({ plugin, streamPath, rule: { url, ...ONCE } })
    },
  })
}
