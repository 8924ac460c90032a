/** The content types of records (RFC 6347 4.1, RFC 5246 6.2.1). */
export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const

/** The handshake messages that matter here (RFC 5246 7.4). */
export const HANDSHAKE = {
  clientHello: 1,
  certificate: 11,
  serverKeyExchange: 12,
  certificateVerify: 15,
  finished: 20,
} as const

/** A record of DTLS 1.2 (RFC 6347 4.1). */
export type DtlsRecord = {
  readonly contentType: number
  readonly version: number
  readonly epoch: number
  readonly sequence: number
  readonly fragment: Buffer
}

/** A handshake message (RFC 6347 4.2.2), whole. */
export type HandshakeMessage = { readonly type: number; readonly sequence: number; readonly body: Buffer }

/** A chain of certificates is the longest that comes. */
export const MAX_HANDSHAKE_MESSAGE_BYTES = 16_000
/** Messages that came before an earlier one; the longest flight has six. */
const MAX_MESSAGES_AHEAD = 8
/** A handshake has less than ten messages each way. */
const MAX_MESSAGES = 16
/** Times that a client may begin again before it is answered. */
const MAX_HELLOS = 8
const MAX_RECORDS = 16
const RECORD_HEADER_BYTES = 13
const MESSAGE_HEADER_BYTES = 12

/** True when a datagram begins like DTLS (RFC 7983 7). */
export function isDtls(datagram: Buffer): boolean {
  return datagram.length > RECORD_HEADER_BYTES && datagram[0]! >= 20 && datagram[0]! <= 63
}

/** Reads the records of a datagram, up to one that is broken, and at most sixteen. */
export function parseRecords(datagram: Buffer): DtlsRecord[] {
  const records: DtlsRecord[] = []
  let offset = 0
  while (offset + RECORD_HEADER_BYTES <= datagram.length && records.length < MAX_RECORDS) {
    const begin = offset + RECORD_HEADER_BYTES
    const end = begin + datagram.readUInt16BE(offset + 11)
    if (end > datagram.length) break
    records.push({
      contentType: datagram[offset]!,
      version: datagram.readUInt16BE(offset + 1),
      epoch: datagram.readUInt16BE(offset + 3),
      sequence: datagram.readUIntBE(offset + 5, 6),
      fragment: datagram.subarray(begin, end),
    })
    offset = end
  }
  return records
}

export function serializeRecord({ contentType, version, epoch, sequence, fragment }: DtlsRecord): Buffer {
  const header = Buffer.alloc(RECORD_HEADER_BYTES)
  header[0] = contentType
  header.writeUInt16BE(version, 1)
  header.writeUInt16BE(epoch, 3)
  header.writeUIntBE(sequence, 5, 6)
  header.writeUInt16BE(fragment.length, 11)
  return Buffer.concat([header, fragment])
}

/** A whole message as the bytes of one fragment. */
export function serializeMessage({ type, sequence, body }: HandshakeMessage): Buffer {
  const header = Buffer.alloc(MESSAGE_HEADER_BYTES)
  header[0] = type
  header.writeUIntBE(body.length, 1, 3)
  header.writeUInt16BE(sequence, 4)
  header.writeUIntBE(body.length, 9, 3)
  return Buffer.concat([header, body])
}

type PartialMessage = { readonly type: number; readonly body: Buffer; readonly ranges: [begin: number, end: number][] }

/** Puts handshake messages together that came in fragments, twice, or in another order. */
export class HandshakeReader {
  readonly #partial = new Map<number, PartialMessage>()
  #nextSequence = 0
  #hellos = 0

  /**
   * Reads the content of a handshake record.
   * @returns the messages that are complete now, each once and in their order; a first ClientHello also when it is repeated,
   *   as its answer is not (RFC 6347 4.2.1)
   */
  read(fragment: Buffer): HandshakeMessage[] {
    const messages: HandshakeMessage[] = []
    let offset = 0
    while (offset + MESSAGE_HEADER_BYTES <= fragment.length) {
      const begin = offset + MESSAGE_HEADER_BYTES
      const end = begin + fragment.readUIntBE(offset + 9, 3)
      if (end > fragment.length) break
      this.#add(fragment.subarray(offset, begin), fragment.subarray(begin, end), messages)
      offset = end
    }
    return messages
  }

  #add(header: Buffer, part: Buffer, messages: HandshakeMessage[]): void {
    const type = header[0]!
    const sizeBytes = header.readUIntBE(1, 3)
    const sequence = header.readUInt16BE(4)
    const offset = header.readUIntBE(6, 3)
    if (sizeBytes > MAX_HANDSHAKE_MESSAGE_BYTES || offset + part.length > sizeBytes || sequence >= MAX_MESSAGES) return
    const isRepeated = type === HANDSHAKE.clientHello && sequence === 0 && this.#nextSequence === 1
    if (isRepeated ? this.#hellos >= MAX_HELLOS : !this.#isExpected(sequence)) return
    // A repeated one may come in part: the messages after it are not waited with.
    let message = this.#partial.get(sequence)
    if (message === undefined) {
      message = { type, body: Buffer.alloc(sizeBytes), ranges: [] }
      this.#partial.set(sequence, message)
    }
    if (message.type !== type || message.body.length !== sizeBytes) return
    part.copy(message.body, offset)
    addRange(message.ranges, offset, offset + part.length)
    if (isRepeated && isComplete(message)) messages.push(this.#remove(sequence, message))
    this.#take(messages)
  }

  #isExpected(sequence: number): boolean {
    return sequence >= this.#nextSequence && sequence < this.#nextSequence + MAX_MESSAGES_AHEAD
  }

  #take(messages: HandshakeMessage[]): void {
    for (;;) {
      const message = this.#partial.get(this.#nextSequence)
      if (message === undefined || !isComplete(message)) return
      messages.push(this.#remove(this.#nextSequence, message))
      this.#nextSequence += 1
    }
  }

  #remove(sequence: number, { type, body }: PartialMessage): HandshakeMessage {
    this.#partial.delete(sequence)
    if (type === HANDSHAKE.clientHello) this.#hellos += 1
    return { type, sequence, body }
  }
}

/** Adds the range between two offsets; ranges that touch become one, so that they are few. */
function addRange(ranges: [begin: number, end: number][], begin: number, end: number): void {
  let merged: [number, number] = [begin, end]
  for (let index = ranges.length - 1; index >= 0; index -= 1) {
    const [otherBegin, otherEnd] = ranges[index]!
    if (otherBegin > merged[1] || otherEnd < merged[0]) continue
    merged = [Math.min(otherBegin, merged[0]), Math.max(otherEnd, merged[1])]
    ranges.splice(index, 1)
  }
  ranges.push(merged)
}

function isComplete({ body, ranges }: PartialMessage): boolean {
  const [first] = ranges
  return first !== undefined && first[0] === 0 && first[1] === body.length
}
