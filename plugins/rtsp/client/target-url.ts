import type { Dialer, ProtocolTraits } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { parseRtspUrl, type RtspUrl } from '../wire/url.ts'
import { RtspClientError } from './client-error.ts'

/** The transport by which media travels. */
export type TransportKind = 'tcp' | 'udp'

/** The transports that further schemes of this server demand, besides `rtsp` and `rtsps`. */
const TRANSPORTS = { rtspt: 'tcp', rtspu: 'udp', rtsph: 'http' } as const

/** The traits by which others recognize RTSP. */
export const RTSP = {
  number: 2,
  schemes: {
    rtsp: { tcpPort: 554 },
    rtsps: { tcpPort: 322 },
    rtspt: { tcpPort: 554 },
    rtspu: { tcpPort: 554 },
    rtsph: { tcpPort: 554 },
  },
} as const satisfies ProtocolTraits

/** The transport to use; `auto` tries UDP, and then TCP when no media comes by UDP. */
export type TransportChoice = 'auto' | 'tcp' | 'udp' | 'http'

/** The RTSP address of a pull or push, with the transport that its scheme demands. */
export class TargetUrl {
  readonly parsed: RtspUrl
  readonly #transport: TransportChoice | undefined

  /**
   * @param transport the transport when the scheme demands none
   * @throws {RtspClientError} when the URL is no address of RTSP
   */
  constructor(url: string, transport?: TransportChoice) {
    const scheme = url.slice(0, Math.max(0, url.indexOf(':'))).toLowerCase()
    const own = Object.hasOwn(TRANSPORTS, scheme) ? TRANSPORTS[scheme as keyof typeof TRANSPORTS] : undefined
    this.#transport = own ?? transport
    this.parsed = parsed(own === undefined ? url : `rtsp${url.slice(scheme.length)}`)
  }

  /** True when the connection is to look like HTTP. */
  get isTunnel(): boolean {
    return this.#transport === 'http'
  }

  /**
   * Returns the transports to try, in this order.
   * @param choice the transport of the config, for addresses that demand none
   * @throws {RtspClientError} when UDP is demanded, and connections go through a proxy
   */
  kinds(choice: TransportChoice, { proxied }: Pick<Dialer, 'proxied'>): readonly TransportKind[] {
    const transport = this.#transport ?? choice
    if (proxied && !this.parsed.tls) {
      if (transport === 'udp') throw new RtspClientError('a proxy leads TCP on, and no UDP: use rtspt:// or no proxy')
      return ['tcp']
    }
    if (this.parsed.tls || transport === 'tcp' || transport === 'http') return ['tcp']
    return transport === 'udp' ? ['udp'] : ['udp', 'tcp']
  }

  /**
   * Returns the address to which a server redirects, with the same transport. The name and password are passed on to the same host
   * only, and never from TLS to plain TCP.
   * @throws {RtspClientError} when the redirect is no address of RTSP
   */
  redirected(location: string): TargetUrl {
    const next = new TargetUrl(location, this.#transport)
    const { host, tls, username, password } = this.parsed
    const isSame = next.parsed.host.toLowerCase() === host.toLowerCase() && (next.parsed.tls || !tls)
    if (next.parsed.username !== undefined || !isSame || username === undefined) return next
    const user = `${encodeURIComponent(username)}:${encodeURIComponent(password ?? '')}@`
    return new TargetUrl(next.parsed.uri.replace('://', `://${user}`), this.#transport)
  }
}

function parsed(url: string): RtspUrl {
  try {
    return parseRtspUrl(url)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtspClientError(`not an address of RTSP: ${error.message}`, { cause: error })
  }
}
