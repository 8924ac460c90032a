/** A group of keys with a listening address, and one for the same over TLS; an empty one stands for none. */
type ListenConfig = { readonly listenaddr: string; readonly listenaddrtls: string }

/** The scheme of a plugin's addresses; over TLS, an `s` follows it. */
type Scheme = 'http' | 'ws' | 'rtmp' | 'rtsp'

/** Ports that an address need not name. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  ws: '80',
  wss: '443',
  rtmp: '1935',
  rtmps: '443',
  rtsp: '554',
  rtsps: '322',
}

/**
 * Makes addresses for `Endpoints`, such as `http://{hostName}:8080/flv/{streamPath}.flv`: one for each scheme, and for each
 * with TLS, where the section listens.
 */
export function addressTemplates(config: ListenConfig, path: string, schemes: readonly Scheme[]): string[] {
  const template = (scheme: string, address: string): string[] => {
    const port = address.slice(address.lastIndexOf(':') + 1)
    if (address === '') return []
    return [`${scheme}://{hostName}${port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}${path}`]
  }
  return [
    ...schemes.flatMap((scheme) => template(scheme, config.listenaddr)),
    ...schemes.flatMap((scheme) => template(`${scheme}s`, config.listenaddrtls)),
  ]
}
