import { StreamUnavailable, type ServerInfo, type TcpListener } from 'sluice/sdk'

type Address = TcpListener['addresses'][number]

const ANY_HOST = /^(?:|::|0\.0\.0\.0)$/u

/**
 * Where a program on this machine plays a stream by RTSP, over TCP.
 * @param ticket a query with the ticket that it plays by
 * @throws {StreamUnavailable} when there is none
 */
export function feedAddress(server: ServerInfo | undefined, streamPath: string, ticket: string): string {
  const addresses = server?.listeners('rtsp') ?? []
  // Without TLS where that is to be had; ffmpeg does not look at the certificate, which may be one made here.
  const address = addresses.find(({ tls }) => !tls) ?? addresses[0]
  if (address === undefined) {
    throw new StreamUnavailable("jsmpeg takes its streams from the plugin 'rtsp', which has no listening address")
  }
  const path = streamPath.split('/').map(encodeURIComponent).join('/')
  // The package leaves no place for options of the input: the server refuses UDP, and ffmpeg asks for TCP.
  return `rtsp${address.tls ? 's' : ''}://${hostOf(address)}:${address.port}/${path}?${ticket}&transport=tcp`
}

function hostOf({ host }: Address): string {
  if (ANY_HOST.test(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
