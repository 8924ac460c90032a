/** A plugin of the server, as `GET /api/sysinfo` has it. */
export type PushPlugin = {
  readonly name: string
  readonly pushAddr: readonly string[]
  readonly description: Readonly<Record<string, string>>
}

/** A way to publish by one protocol. */
export type PushProtocol = {
  readonly label: string
  /** The protocol's name at the gates. */
  readonly plugin: string
  readonly scheme: string
  /** A template with `{streamPath}` and `{hostName}`; without a host where it is below this page's own server. */
  readonly template: string
}

export type PushTarget = {
  /** A name or an address; one of IPv6 with or without brackets. */
  readonly host: string
  readonly streamPath: string
  /** The parameters that pass the gates. */
  readonly query: Readonly<Record<string, string>>
}

/** The addresses for publishers, by the protocol that they use. */
export type PushAddress = {
  readonly url: string
  /** OBS asks for the server and the key apart; undefined where OBS does not speak the protocol. */
  readonly obs: { readonly server: string; readonly key: string } | undefined
  /** A command line with a test picture and a tone. */
  readonly ffmpeg: string
}

/** Names of addresses that are not called by their scheme. */
const LABELS: Readonly<Record<string, string>> = { webrtc: 'WHIP', webtransport: 'WebTransport' }
const SOURCE = '-re -f lavfi -i testsrc2=size=1280x720:rate=25 -f lavfi -i sine'
const H264 = '-c:v libx264 -preset veryfast -tune zerolatency -pix_fmt yuv420p -g 50'
const OUTPUTS: Readonly<Record<string, string>> = {
  rtmp: '-c:a aac -f flv',
  rtmps: '-c:a aac -f flv',
  srt: '-c:a aac -f mpegts',
  rtsp: '-c:a aac -f rtsp -rtsp_transport tcp',
  rtsps: '-c:a aac -f rtsp',
  http: '-profile:v baseline -c:a libopus -ar 48000 -ac 2 -f whip',
  https: '-profile:v baseline -c:a libopus -ar 48000 -ac 2 -f whip',
}

/**
 * The protocols by which this server takes streams. Addresses of HTTP on the port of the page itself are below the page's own
 * server, which may be behind a proxy with another name, port and path.
 */
export function pushProtocols(plugins: readonly PushPlugin[]): PushProtocol[] {
  const pageListeners = plugins.find(({ name }) => name === 'console')?.description
  const found = new Map<string, PushProtocol>()
  for (const { name, pushAddr, description } of plugins) {
    const isBesidePage = description['http'] === pageListeners?.['http']
    for (const address of pushAddr) {
      const [scheme = ''] = address.split(':', 1)
      const isRelative = isBesidePage && /^https?$/u.test(scheme)
      const template = isRelative ? address.replace(/^https?:\/\/[^/]*/u, '') : address
      const label = LABELS[name] ?? scheme.toUpperCase()
      const secure = !isRelative && scheme === 'https' ? `${label} (HTTPS)` : label
      if (!found.has(secure)) found.set(secure, { label: secure, plugin: name, scheme, template })
    }
  }
  return [...found.values()]
}

/** @param rootUrl the server's root as the browser reaches it, `https://media.example.com/tv/` */
export function pushAddress({ scheme, template }: PushProtocol, target: PushTarget, rootUrl: string): PushAddress {
  const query = new URLSearchParams(target.query).toString()
  const isHttp = /^https?$/u.test(scheme)
  const path = isHttp ? target.streamPath.split('/').map(encodeURIComponent).join('/') : target.streamPath
  const filled = template.replaceAll('{streamPath}', () => path).replaceAll('{hostName}', () => hostText(target.host))
  const address = filled.startsWith('/') ? new URL(filled.slice(1), rootUrl).href : filled
  const url = withQuery(scheme, address, query)
  return { url, obs: obsFields(scheme, url), ffmpeg: commandOf(scheme, url) }
}

/** A stream path as it is published: of a path with slashes around it, those within. */
export function cleanPath(text: string): string {
  return text.trim().replace(/^\/+|\/+$/gu, '')
}

/** An address of IPv6 stands in brackets where a port may follow. */
function hostText(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

/** The stream id of SRT has a query of its own, and ends at the next `&` of the address. */
function withQuery(scheme: string, address: string, query: string): string {
  if (query === '') return address
  if (scheme === 'srt') return `${address}?${query.replaceAll('&', '%26')}`
  return `${address}${address.includes('?') ? '&' : '?'}${query}`
}

function obsFields(scheme: string, url: string): PushAddress['obs'] {
  if (/^rtsps?$/u.test(scheme)) return undefined
  if (!/^rtmps?$/u.test(scheme)) return { server: url, key: '' }
  const [address = ''] = url.split('?', 1)
  const slash = address.lastIndexOf('/')
  return { server: url.slice(0, slash), key: url.slice(slash + 1) }
}

function commandOf(scheme: string, url: string): string {
  return `ffmpeg ${SOURCE} ${H264} ${OUTPUTS[scheme] ?? ''} ${shellWord(url)}`
}

/** A text as one word of a command line. */
function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
