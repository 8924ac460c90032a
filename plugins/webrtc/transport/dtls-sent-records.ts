import type * as Werift from 'werift'
import { parseRecords, serializeRecord, type DtlsRecord } from './dtls-record.ts'

/** The encrypting part of a connection, which exists once there are keys. */
type RecordCipher = Pick<Werift.DtlsSocket, 'sessionType'> & {
  readonly cipher: Pick<Werift.DtlsSocket['cipher'], 'cipher'>
}

/** The ends of a connection, as werift numbers them. */
const CLIENT = 1
const SERVER = 2
/** The limit up to which the sequence numbers of a peer's ClientHello are adopted, so that the 48 bits last. */
const MAX_GREETING_SEQUENCE = 2 ** 32

/**
 * Numbers the records that one end sends: each has a number of its own in its epoch, counted from 0, even a fragment of a message and a
 * repeat (RFC 6347 4.1, 4.2.2, 4.2.4). werift gives numbers to messages and repeats them, and peers that detect replays (4.1.2.6) drop
 * records whose numbers they have seen.
 */
export class SentRecords {
  readonly #next = [0, 0]

  /** The number of the next encrypted record. */
  get nextEncrypted(): number {
    return this.#next[1]!
  }

  /** Adopts the number of a ClientHello, as its answer has the same number or a later one (RFC 6347 4.2.1). */
  answers(greeting: Pick<DtlsRecord, 'sequence'>): void {
    if (greeting.sequence <= MAX_GREETING_SEQUENCE) this.#next[0] = Math.max(this.#next[0]!, greeting.sequence)
  }

  /** Returns the datagram with new numbers in its records. Encrypted records are encrypted again, as the number is part of it. */
  number(datagram: Buffer, connection: RecordCipher): Buffer {
    return Buffer.concat(parseRecords(datagram).map((record) => serializeRecord(this.#number(record, connection))))
  }

  #number(record: DtlsRecord, { sessionType, cipher: { cipher } }: RecordCipher): DtlsRecord {
    const { contentType: type, version, epoch, fragment } = record
    const sequence = this.#next[epoch]!++
    if (epoch === 0) return { ...record, sequence }
    // The reader of this end's encrypted records is the other end.
    const reader = sessionType === CLIENT ? SERVER : CLIENT
    const clear = cipher.decrypt(reader, fragment, { type, version, epoch, sequenceNumber: record.sequence })
    const encrypted = cipher.encrypt(sessionType, clear, { type, version, epoch, sequenceNumber: sequence })
    return { ...record, sequence, fragment: encrypted }
  }
}
