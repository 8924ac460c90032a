import type { Dialer, ProtocolTraits } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { parseRtspUrl, type RtspUrl } from '../wire/url.ts'
import { RtspClientError } from './client-error.ts'

/** How media travels. */
export type TransportKind = 'tcp' | 'udp'

/** Schemes of ours that say how media is to travel, besides `rtsp` and `rtsps`. */
const TRANSPORTS = { rtspt: 'tcp', rtspu: 'udp', rtsph: 'http' } as const

/** RTSP, as others tell it from the rest. */
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

/** How media is to travel; `auto` tries UDP, and TCP where nothing comes by that. */
export type TransportChoice = 'auto' | 'tcp' | 'udp' | 'http'

/** Where a pull or push goes: an RTSP address, and what its scheme says of the transport. */
export class TargetUrl {
  readonly parsed: RtspUrl
  readonly #transport: TransportChoice | undefined

  /**
   * @param transport where the scheme does not say
   * @throws {RtspClientError} when it is no address of RTSP
   */
  constructor(url: string, transport?: TransportChoice) {
    const scheme = url.slice(0, Math.max(0, url.indexOf(':'))).toLowerCase()
    const own = Object.hasOwn(TRANSPORTS, scheme) ? TRANSPORTS[scheme as keyof typeof TRANSPORTS] : undefined
    this.#transport = own ?? transport
    this.parsed = parsed(own === undefined ? url : `rtsp${url.slice(scheme.length)}`)
  }

  /** Whether the connection is to look like HTTP. */
  get isTunnel(): boolean {
    return this.#transport === 'http'
  }

  /**
   * The transports to try, in this order.
   * @param choice of the config, for addresses that don't say
   * @throws {RtspClientError} when it would have to be UDP, and connections go through a proxy
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
   * Where a server leads to, by the same transport. Who the server knows goes on being known by it, and by nobody else,
   * nor in the open after TLS.
   * @throws {RtspClientError} when it leads elsewhere than to an address of RTSP
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
