const LENGTH_16 = 126

/** A whole, masked message of a WebSocket client (RFC 6455 5.2); the mask is 0. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const size = length < LENGTH_16 ? [0x80 | length] : [0x80 | LENGTH_16, length >>> 8, length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size, 0, 0, 0, 0]), payload])
}

/** A request that asks for a WebSocket. */
export function wsRequest(target: string): string {
  return (
    `GET ${target} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  )
}
