import { MalformedError } from 'sluice/sdk/media'
import { SEQUENCE_MASK } from '../sequence.ts'

const WORD_BYTES = 4

/**
 * The content of a full or a small acknowledgement (draft-sharabayko-srt-01 section 3.2.4). Fields are left out from the end: without one,
 * all after it are left out too.
 */
export type Acknowledgement = {
  /** The first sequence number that is not acknowledged. */
  sequence: number
  rttUs?: number
  rttVarianceUs?: number
  /** Room in the receiver's buffer. */
  freePackets?: number
  packetsPerSecond?: number
  linkPacketsPerSecond?: number
  bytesPerSecond?: number
}

const FIELDS = [
  'rttUs',
  'rttVarianceUs',
  'freePackets',
  'packetsPerSecond',
  'linkPacketsPerSecond',
  'bytesPerSecond',
] as const satisfies readonly (keyof Acknowledgement)[]

/** @throws {MalformedError} on less than a word */
export function parseAcknowledgement(bytes: Buffer): Acknowledgement {
  if (bytes.length < WORD_BYTES) throw new MalformedError(`SRT acknowledgement of ${bytes.length} bytes`)
  const acknowledgement: Acknowledgement = { sequence: bytes.readUInt32BE(0) & SEQUENCE_MASK }
  let at = WORD_BYTES
  for (const field of FIELDS) {
    if (at + WORD_BYTES > bytes.length) break
    acknowledgement[field] = bytes.readUInt32BE(at)
    at += WORD_BYTES
  }
  return acknowledgement
}

/** Writes the fields up to the first that is left out. */
export function serializeAcknowledgement(acknowledgement: Acknowledgement): Buffer {
  const given = FIELDS.findIndex((field) => acknowledgement[field] === undefined)
  const fields = given < 0 ? FIELDS : FIELDS.slice(0, given)
  const bytes = Buffer.allocUnsafe(WORD_BYTES * (1 + fields.length))
  bytes.writeUInt32BE(acknowledgement.sequence, 0)
  fields.forEach((field, index) => bytes.writeUInt32BE(acknowledgement[field]!, WORD_BYTES * (index + 1)))
  return bytes
}
