import type { Platform } from './platform.ts'

/** Adds the metrics of devices, their calls and their messages to `/metrics`. */
export function addMetrics({ ctx, registry, registrar, transport, media }: Platform): void {
  const { metrics } = ctx
  metrics.gauge({
    name: 'devices',
    help: 'Devices that are known',
    labels: ['state'],
    read() {
      const online = [...registry.devices].filter(({ isOnline }) => isOnline).length
      return [
        { labels: { state: 'online' }, value: online },
        { labels: { state: 'offline' }, value: registry.deviceCount - online },
      ]
    },
  })
  metrics.gauge({
    name: 'channels',
    help: 'Channels that are known',
    labels: ['state'],
    read() {
      const counts = { on: 0, off: 0 }
      for (const { isOn } of registry.allChannels()) counts[isOn ? 'on' : 'off'] += 1
      return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }))
    },
  })
  metrics.gauge({
    name: 'connections',
    help: 'Connections of SIP by TCP and TLS',
    read: () => [{ value: transport.connections }],
  })
  metrics.gauge({
    name: 'calls',
    help: 'Calls to devices that have not ended, those of queries included',
    read: () => [{ value: media.agent.calls }],
  })
  metrics.gauge({
    name: 'transactions',
    help: 'Requests of SIP, of both sides, of which something is kept',
    read: () => [{ value: media.agent.transactions }],
  })
  metrics.gauge({
    name: 'used_ssrcs',
    help: 'SSRCs in use, of 10,000 each for live media and for recordings',
    read: () => [{ value: media.ssrcs.used }],
  })
  registrar.countBy(
    metrics.counter({ name: 'registrations_total', help: 'Registrations, by what became of them', labels: ['result'] }),
  )
  transport.countBy(
    metrics.counter({ name: 'broken_messages_total', help: 'Messages of SIP that could not be read' }).with(),
    metrics.counter({ name: 'messages_total', help: 'Messages of SIP that came', labels: ['transport'] }),
  )
}
