import type { FastifyBaseLogger } from 'fastify'
import type { ServerInfo } from 'sluice/sdk'
import type { RoutedRequest } from 'sluice/sdk/http'
import type { PluginView } from '../../host/plugin-view.ts'
import type { Guard } from '../../http/guard.ts'
import { PluginAddresses } from './plugin-addresses.ts'

type ServerInfoOptions = {
  readonly log: FastifyBaseLogger
  readonly startTime: () => Date
  readonly plugins: () => readonly PluginView[]
  readonly guard: () => Pick<Guard, 'mayAsk'>
}

/** The service `server`. */
export function createServerInfo({ log, startTime, plugins, guard }: ServerInfoOptions): ServerInfo {
  const addresses = new PluginAddresses(log)
  return {
    get startTime() {
      return startTime()
    },
    endpoints: () =>
      plugins()
        .filter(({ disableReason }) => disableReason === undefined)
        .map((plugin) => ({ plugin: plugin.name, ...addresses.of(plugin) })),
    listeners: (name) => plugins().find((plugin) => plugin.name === name)?.listeners ?? [],
    mayAdminister: (request: RoutedRequest) => request.administered === true && guard().mayAsk(request),
  }
}
