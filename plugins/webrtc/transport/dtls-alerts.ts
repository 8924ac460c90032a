import type * as Werift from 'werift'
import { CONTENT, serializeRecord, type DtlsRecord } from './dtls-record.ts'

const DTLS_1_2 = 0xfefd
const CLOSE_NOTIFY = Buffer.from([1, 0])
const KEYS = ['clientWriteKey', 'serverWriteKey', 'clientNonce', 'serverNonce'] as const

/**
 * Reads and writes encrypted alerts of a connection after its handshake, which are few: media have keys of their own. It keeps nothing else
 * of werift, as a handshake holds more memory than all the rest of a session.
 */
export class DtlsAlerts {
  readonly #cipher: Werift.DtlsSocket['cipher']['cipher']
  readonly #sessionType: Werift.DtlsSocket['sessionType']
  #sequence: number

  /** @param nextSequence the number of the next record that is sent */
  constructor({ cipher: { cipher }, sessionType }: Werift.DtlsSocket, nextSequence: number) {
    for (const name of KEYS) cipher[name] = copyAlone(cipher[name]!)
    this.#cipher = cipher
    this.#sessionType = sessionType
    this.#sequence = nextSequence
  }

  /** @throws {Error} when the peer did not encrypt it */
  decrypt({ contentType: type, version, epoch, sequence: sequenceNumber, fragment }: DtlsRecord): Buffer {
    return this.#cipher.decrypt(this.#sessionType, fragment, { type, version, epoch, sequenceNumber })
  }

  /** The datagram by which this end closes the connection (RFC 5246 7.2.1). */
  closeNotify(): Buffer {
    const sequence = this.#sequence++
    const header = { type: CONTENT.alert, version: DTLS_1_2, epoch: 1, sequenceNumber: sequence }
    const fragment = this.#cipher.encrypt(this.#sessionType, CLOSE_NOTIFY, header)
    return serializeRecord({ contentType: CONTENT.alert, version: DTLS_1_2, epoch: 1, sequence, fragment })
  }
}

/** Copies bytes out of the memory pool that small buffers share, all of which stays while one of them does. */
function copyAlone(bytes: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer)
}
