import type { FastifyBaseLogger } from 'fastify'
import type { ServerInfo } from 'sluice/sdk'
import type { RoutedRequest } from 'sluice/sdk/http'
import type { PluginView } from '../../host/plugin-view.ts'
import type { Guard } from '../../http/guard.ts'
import { PluginAddresses } from './plugin-addresses.ts'

/** The service `server`. */
export function createServerInfo(
  log: FastifyBaseLogger,
  plugins: () => readonly PluginView[],
  guard: () => Pick<Guard, 'mayAsk'>,
): ServerInfo {
  const addresses = new PluginAddresses(log)
  return {
    endpoints: () =>
      plugins()
        .filter(({ disableReason }) => disableReason === undefined)
        .map((plugin) => ({ plugin: plugin.name, ...addresses.of(plugin) })),
    listeners: (name) => plugins().find((plugin) => plugin.name === name)?.listeners ?? [],
    mayAdminister: (request: RoutedRequest) => request.administered === true && guard().mayAsk(request),
  }
}
