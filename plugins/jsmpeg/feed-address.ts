import { StreamUnavailable, type ServerInfo, type TcpListener } from 'sluice/sdk'

type Address = TcpListener['addresses'][number]

const ANY_HOST = /^(?:|::|0\.0\.0\.0)$/u

/**
 * Returns the URL at which a program on this machine plays a stream by RTSP, over TCP.
 * @param ticket the query with the program's ticket
 * @throws {StreamUnavailable} when RTSP has no listening address
 */
export function feedAddress(server: ServerInfo | undefined, streamPath: string, ticket: string): string {
  const addresses = server?.listeners('rtsp') ?? []
  // Plain RTSP is preferred; ffmpeg does not verify the certificate, which may be one made here.
  const address = addresses.find(({ tls }) => !tls) ?? addresses[0]
  if (address === undefined) {
    throw new StreamUnavailable("jsmpeg takes its streams from the plugin 'rtsp', which has no listening address")
  }
  const path = streamPath.split('/').map(encodeURIComponent).join('/')
  // The package has no options for the input: the server refuses UDP, and ffmpeg then uses TCP.
  return `rtsp${address.tls ? 's' : ''}://${hostOf(address)}:${address.port}/${path}?${ticket}&transport=tcp`
}

function hostOf({ host }: Address): string {
  if (ANY_HOST.test(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
