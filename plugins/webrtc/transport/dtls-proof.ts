import { createHash, createHmac, timingSafeEqual, verify, X509Certificate } from 'node:crypto'
import { HANDSHAKE } from './dtls-record.ts'
import type { Fingerprint } from './transport-description.ts'

/** The supported hashes of fingerprints (RFC 8122 5), by their names there. */
const FINGERPRINT_HASHES: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
])
/** The hashes of signatures (RFC 5246 7.4.1.4.1), by the upper byte of the scheme. */
const SIGNATURE_HASHES: ReadonlyMap<number, string> = new Map([
  [4, 'sha256'],
  [5, 'sha384'],
  [6, 'sha512'],
])
const VERIFY_DATA_BYTES = 12

/** A message of the handshake in the transcript of both ends. */
export type TranscriptMessage = { readonly msg_type: number; readonly fragment: Buffer; serialize(): Buffer }

/** The fingerprints that can be compared with a certificate. */
export function usableFingerprints(fingerprints: readonly Fingerprint[]): Fingerprint[] {
  return fingerprints.filter(({ algorithm }) => FINGERPRINT_HASHES.has(algorithm.toLowerCase()))
}

/** The fingerprint of a certificate (PEM or DER), by SHA-256. */
export function fingerprintOf(certificate: string | Buffer): Fingerprint {
  return { algorithm: 'sha-256', value: new X509Certificate(certificate).fingerprint256 }
}

/** True when a certificate is one of those that were announced (RFC 8122 5). */
export function isAnnounced(certificate: Buffer, fingerprints: readonly Fingerprint[]): boolean {
  return usableFingerprints(fingerprints).some(({ algorithm, value }) => {
    const hash = createHash(FINGERPRINT_HASHES.get(algorithm.toLowerCase())!).update(certificate).digest()
    return hash.equals(Buffer.from(value.replaceAll(':', ''), 'hex'))
  })
}

/**
 * True when a client has proved that it has the key of its certificate (RFC 5246 7.4.8).
 * @param transcript the handshake so far
 */
export function isClientProven(certificate: Buffer, transcript: readonly TranscriptMessage[]): boolean {
  const index = transcript.findIndex(({ msg_type }) => msg_type === HANDSHAKE.certificateVerify)
  const body = transcript[index]?.fragment
  if (body === undefined) return false
  return isSigned(certificate, bytesOf(transcript.slice(0, index)), body)
}

/** True when a server has proved that it has the key of its certificate, by signing its key exchange (RFC 5246 7.4.3, RFC 8422 5.4). */
export function isServerProven(
  certificate: Buffer,
  transcript: readonly TranscriptMessage[],
  randoms: { readonly client: Buffer; readonly server: Buffer },
): boolean {
  const body = transcript.find(({ msg_type }) => msg_type === HANDSHAKE.serverKeyExchange)?.fragment
  if (body === undefined || body.length < 4) return false
  // The kind of curve, its number of two bytes, and the public key after its length.
  const paramsBytes = 4 + body[3]!
  const signed = Buffer.concat([randoms.client, randoms.server, body.subarray(0, paramsBytes)])
  return isSigned(certificate, signed, body.subarray(paramsBytes))
}

/** True when the other end has seen the same handshake, by its Finished message (RFC 5246 7.4.9). */
export function isFinished(
  message: Buffer,
  transcript: readonly TranscriptMessage[],
  masterSecret: Buffer,
  sender: 'client' | 'server',
): boolean {
  const verifyData = message.subarray(message.length - VERIFY_DATA_BYTES)
  if (message[0] !== HANDSHAKE.finished || verifyData.length !== VERIFY_DATA_BYTES) return false
  const hash = createHash('sha256').update(bytesOf(transcript)).digest()
  const seed = Buffer.concat([Buffer.from(`${sender} finished`), hash])
  return timingSafeEqual(pseudoRandom(masterSecret, seed).subarray(0, VERIFY_DATA_BYTES), verifyData)
}

/** The first 32 bytes of P_SHA256 (RFC 5246 5). */
function pseudoRandom(secret: Buffer, seed: Buffer): Buffer {
  const first = createHmac('sha256', secret).update(seed).digest()
  return createHmac('sha256', secret).update(first).update(seed).digest()
}

/** @param body the scheme, the length of the signature, and the signature */
function isSigned(certificate: Buffer, content: Buffer, body: Buffer): boolean {
  const hash = body.length < 4 ? undefined : SIGNATURE_HASHES.get(body[0]!)
  if (hash === undefined) return false
  const signature = body.subarray(4, 4 + body.readUInt16BE(2))
  try {
    return verify(hash, content, new X509Certificate(certificate).publicKey, signature)
  } catch {
    // The certificate has no key of this type.
    return false
  }
}

function bytesOf(transcript: readonly TranscriptMessage[]): Buffer {
  return Buffer.concat(transcript.map((message) => message.serialize()))
}
