import type { OwnedMetrics } from 'sluice/sdk/host'
import type { PluginHost } from '../../host/plugin-host.ts'
import type { ListenerPool } from '../../net/listener-pool.ts'

export type HostParts = { readonly host: PluginHost; readonly pool: ListenerPool }

/** Declares the metrics of the plugins, and of the datagrams that their UDP ports have dropped. */
export function addHostMetrics(metrics: OwnedMetrics, { host, pool }: HostParts): void {
  metrics.gauge({
    name: 'sluice_plugins',
    help: 'Plugins, by whether they run: running, starting, disabled by a failure, off by the config',
    labels: ['state'],
    read: () => host.list().map(({ state }) => ({ labels: { state }, value: 1 })),
  })
  metrics.gauge({
    name: 'sluice_plugin_generations',
    help: 'Generations of plugins in memory: the one that runs, and those that drain, being replaced or removed',
    labels: ['plugin', 'state'],
    maxSeries: 400,
    *read() {
      for (const { name, state } of host.list()) {
        if (state === 'running') yield { labels: { plugin: name, state: 'loaded' }, value: 1 }
      }
      for (const plugin of host.draining) yield { labels: { plugin, state: 'draining' }, value: 1 }
    },
  })
  metrics.observe({
    type: 'counter',
    name: 'sluice_udp_dropped_datagrams_total',
    help: 'Datagrams that nobody wanted, or that could not be sent',
    labels: ['plugin', 'reason'],
    maxSeries: 400,
    read: () =>
      [...pool.udpDrops].flatMap(([plugin, drops]) =>
        Object.entries(drops).map(([reason, value]) => ({ labels: { plugin, reason }, value })),
      ),
  })
}
