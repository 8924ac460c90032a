const FINAL = 0x80
const OPCODE = { text: 1, binary: 2 } as const
const LENGTH_16 = 126
const LENGTH_64 = 127

/**
 * A whole binary WebSocket message from a server, which does not mask (RFC 6455 5.2), so that it is the same for
 * everybody.
 */
export function frameBinaryMessage(payload: Buffer): Buffer {
  return frameMessage(OPCODE.binary, payload)
}

/** A whole text WebSocket message, framed as {@link frameBinaryMessage} does. */
export function frameTextMessage(text: string): Buffer {
  return frameMessage(OPCODE.text, Buffer.from(text))
}

function frameMessage(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const headerSize = length < LENGTH_16 ? 2 : length <= 0xffff ? 4 : 10
  const frame = Buffer.allocUnsafe(headerSize + length)
  frame[0] = FINAL | opcode
  if (headerSize === 2) {
    frame[1] = length
  } else if (headerSize === 4) {
    frame[1] = LENGTH_16
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = LENGTH_64
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  payload.copy(frame, headerSize)
  return frame
}
