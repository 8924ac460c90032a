import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export type Plugin = Paths['GET /api/sysinfo']['answer']['data']['plugins'][number]

const REFRESH_MS = 5000

/** All plugins, those included that do not run, by name. */
export function usePlugins(console: Console<Paths>) {
  const running = console.useCall('GET /api/sysinfo', undefined, { refreshMs: REFRESH_MS })
  const stopped = console.useCall('GET /api/plugins/disabled', undefined, { refreshMs: REFRESH_MS })
  const plugins: readonly Plugin[] | undefined =
    running.data &&
    stopped.data &&
    [...running.data.data.plugins, ...stopped.data.data].toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const refresh = async () => {
    await Promise.all([running.refresh(), stopped.refresh()])
  }
  return { plugins, error: running.error ?? stopped.error, refresh }
}

/** Its ports besides those of HTTP, as text. */
export function portsOf({ description }: Plugin): string {
  const { tcp = '', tcpTLS = '', udp = '' } = description
  const parts = [tcp && `TCP ${tcp}`, tcpTLS && `TLS ${tcpTLS}`, udp && `UDP ${udp}`]
  return parts.filter((part) => part !== '').join(', ')
}
