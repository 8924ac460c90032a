/** Where a connection shows whether the other server is there. */
export type CheckTarget = {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
}

/** The ports of addresses that name none, by scheme. What is not here, such as srt, has no connection by TCP. */
const PORTS: Readonly<Record<string, number>> = {
  'rtmp:': 1935,
  'rtmps:': 443,
  'rtsp:': 554,
  'rtspt:': 554,
  'rtspu:': 554,
  'rtsph:': 554,
  'rtsps:': 322,
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'whep:': 80,
  'wheps:': 443,
  'whip:': 80,
  'whips:': 443,
}

/** Where the server of an address takes connections by TCP; undefined where there is no telling, as for files and devices. */
export function checkTargetOf(url: string): CheckTarget | undefined {
  const parsed = URL.parse(url)
  const usual = PORTS[parsed?.protocol ?? '']
  if (parsed === null || usual === undefined || parsed.hostname === '') return undefined
  const port = parsed.port === '' ? usual : Number(parsed.port)
  return { host: parsed.hostname.replace(/^\[|\]$/gu, ''), port }
}
