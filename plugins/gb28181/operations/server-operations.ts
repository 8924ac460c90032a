import { Type } from 'sluice/sdk'
import type { Platform } from '../platform.ts'
import type { AddOperation } from './requests.ts'

/** Adds the operations that say what this platform is (api.md 7.2). */
export function addServerOperations(add: AddOperation, { ctx, registry, transport }: Platform): void {
  add({
    method: 'GET',
    path: 'api/server/config',
    summary: 'What devices are to be told of this server',
    answer: Type.Object({
      localIPs: Type.Array(Type.String()),
      localPort: Type.Integer({ description: 'Of SIP' }),
      deviceGBId: Type.String(),
      deviceGBDomain: Type.String(),
    }),
    handle() {
      const { serial, realm, sipip } = ctx.config
      const { outward, publicIpv4 } = ctx.net.addresses()
      const first = [sipip, publicIpv4 ?? ''].filter((address) => address !== '')
      return {
        localIPs: [...new Set([...first, ...outward])],
        localPort: transport.port ?? 0,
        deviceGBId: serial,
        deviceGBDomain: realm,
      }
    },
  })

  add({
    method: 'GET',
    path: 'api/testsip',
    summary: 'Test whether SIP works: the port that it listens on, and the devices that have come',
    query: Type.Object({ testParam: Type.Optional(Type.String({ maxLength: 255 })) }),
    answer: Type.Object({ testResult: Type.String() }),
    wire: 'fields',
    handle({ query: { testParam = '' } }) {
      const online = [...registry.devices].filter(({ isOnline }) => isOnline).length
      const state = `SIP listens on port ${transport.port ?? 'none'}, ${online} of ${registry.deviceCount} devices are online`
      return { testResult: testParam === '' ? state : `${testParam}: ${state}` }
    },
  })
}
