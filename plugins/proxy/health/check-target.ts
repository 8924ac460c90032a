import type { PluginDirectory } from 'sluice/sdk'

/** The address of a server at which a TCP connection shows that it is there. */
export type CheckTarget = {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
}

/** The default ports of the schemes that belong to no single protocol. */
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443 }

/** Returns the address at which the server of a URL accepts TCP connections; undefined when it is unknown, as for files and devices. */
export function checkTargetOf(url: string, plugins: Pick<PluginDirectory, 'list'>): CheckTarget | undefined {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === '') return undefined
  const usual = tcpPortOf(parsed.protocol.slice(0, -1), plugins)
  if (usual === undefined) return undefined
  const port = parsed.port === '' ? usual : Number(parsed.port)
  return { host: parsed.hostname.replace(/^\[|\]$/gu, ''), port }
}

function tcpPortOf(scheme: string, plugins: Pick<PluginDirectory, 'list'>): number | undefined {
  const { tcpPort } =
    plugins.list().find(({ protocol }) => protocol?.schemes?.[scheme])?.protocol?.schemes?.[scheme] ?? {}
  return tcpPort ?? PORTS[scheme]
}
