/** Where a program finds its peer by SRT, or where it waits for it, and on which terms. */
export type SrtAddress = {
  /** Default `127.0.0.1`. An address of IPv6 is without brackets. */
  readonly host?: string
  readonly port: number
  /** Default `caller`. */
  readonly mode?: 'caller' | 'listener' | 'rendezvous'
  /** Its own port, of a rendezvous. */
  readonly localPort?: number
  readonly streamId?: string
  readonly passphrase?: string
  readonly keyBytes?: 16 | 24 | 32
  readonly latencyMs?: number
  /** A new key comes after so many packets; it is announced a quarter of them before. */
  readonly keyRefreshPackets?: number
}

/** How long a program that ends waits for all that it has sent to have come. */
const LINGER_SECONDS = 10

/** How long a caller goes on asking: programs take long to start on a busy machine. */
const CONNECT_TIMEOUT_MS = 60_000

/** An address as `srt://…` with libsrt's options, as programs have them in common; times are in milliseconds. */
export function srtUrl(address: SrtAddress, more: Readonly<Record<string, string | number>> = {}): string {
  const { host = '127.0.0.1', port, mode, passphrase, keyBytes, latencyMs, keyRefreshPackets: refresh } = address
  const options = {
    mode,
    passphrase,
    pbkeylen: keyBytes,
    latency: latencyMs,
    kmrefreshrate: refresh,
    kmpreannounce: refresh === undefined ? undefined : Math.floor(refresh / 4),
    linger: LINGER_SECONDS,
    conntimeo: CONNECT_TIMEOUT_MS,
    connect_timeout: CONNECT_TIMEOUT_MS,
    ...more,
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  // Programs don't decode what is encoded here.
  const query = given.map(([name, value]) => `${name}=${value}`).join('&')
  return `srt://${host.includes(':') ? `[${host}]` : host}:${port}?${query}`
}
