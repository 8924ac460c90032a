import { Type } from 'sluice/sdk'
import { PORT_ENTRY_PATTERN } from './port-list.ts'

/** The keys of the plugin's config that are about how its sessions are reached. */
export const transportConfig = {
  port: Type.Array(Type.String({ pattern: PORT_ENTRY_PATTERN }), {
    default: ['udp:9000', 'tcp:9000'],
    minItems: 1,
    maxItems: 16,
    description:
      'Ports for media: udp:9000 and tcp:9000 are shared by all sessions, udp:192.0.2.2:9000 at one address alone; ' +
      'udp:9000-9100 has one for each session',
  }),
}
