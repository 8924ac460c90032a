import { connect, type TLSSocket } from 'node:tls'

/** The first bytes of a client (RFC 9113, 3.4), and empty settings. */
export const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)])

export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, window: 8, continuation: 9 } as const
export const END_STREAM = 1
export const END_HEADERS = 4
const CANCEL = 8

/** A frame of HTTP/2 (RFC 9113, 4.1). */
export function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(9)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(streamId, 5)
  return Buffer.concat([header, payload])
}

/** A header block of indexed names and plain values (RFC 7541, 6): GET, `https`, authority and path. */
export function headerBlock(path: string): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  return Buffer.concat([Buffer.from([0x82, 0x87, 0x01]), text('localhost'), Buffer.from([0x04]), text(path)])
}

/** A request without body; the numbers of streams are odd. */
export function request(streamId: number, path: string): Buffer {
  return frame(FRAME.headers, END_STREAM | END_HEADERS, streamId, headerBlock(path))
}

/** A frame that resets a request. */
export function reset(streamId: number): Buffer {
  return frame(FRAME.reset, 0, streamId, Buffer.from([0, 0, 0, CANCEL]))
}

/** Opens a TLS connection that has agreed on HTTP/2, and sent no frame yet. */
export async function dialHttp2(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  return socket.on('error', () => {})
}
