import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { parseRtmpUrl } from '../../plugins/rtmp/wire/url.ts'

/** Begins to connect to the server of an `rtmp` or `rtmps` address; any certificate will do. */
export function rtmpSocket(url: string): Socket {
  const { tls, host, port } = parseRtmpUrl(url)
  const socket = tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port })
  return socket.setNoDelay(true)
}
