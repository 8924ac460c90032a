import { styleText } from 'node:util'
import type { Endpoints, TcpListener } from 'sluice/sdk'

type StartBanner = {
  readonly version: string
  /** The addresses that HTTP is bound to. */
  readonly http: TcpListener['addresses']
  /** The endpoints of the running plugins. */
  readonly endpoints: readonly Endpoints[]
  /** The address at which others reach this machine. */
  readonly localAddress: string | undefined
}

/**
 * Returns the text for a person at a terminal once the server is up: the addresses of the page and for publishing, and the same for other
 * machines. Empty when the server has no HTTP address.
 */
export function startBanner({ version, http, endpoints, localAddress }: StartBanner): string {
  const [first] = http
  if (first === undefined) return ''
  const everywhere = first.host === '::' || first.host === '0.0.0.0'
  const pageAt = (host: string) => `http${first.tls ? 's' : ''}://${inUrl(host)}:${first.port}/`
  const publish = endpoints.flatMap(({ pushAddr = [] }) => pushAddr)[0]
  const lines = [
    ['page', pageAt(everywhere ? 'localhost' : first.host)],
    ...(publish === undefined ? [] : [['publish', filledIn(publish, 'localhost')]]),
    ...(everywhere && localAddress !== undefined ? [['network', pageAt(localAddress)]] : []),
  ]
  const shown = lines.map(([name = '', url = '']) => `  ➜ ${name.padEnd(8)} ${styleText('cyan', url)}\n`)
  return `\n  ${styleText('bold', `Sluice ${version}`)}\n\n${shown.join('')}\n`
}

function filledIn(template: string, host: string): string {
  return template.replaceAll('{hostName}', host).replaceAll('{streamPath}', 'live/test')
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
