import { createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto'
import { ipWords } from '../ip-words.ts'

/** The fields of a certificate. */
export type CertificateInit = {
  /** The common name of the subject, which is also the issuer. */
  readonly commonName: string
  /** Host names and IP addresses that it is for. */
  readonly names: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
  /** A key of the curve P-256. */
  readonly privateKey: KeyObject
}

/** Object identifiers (RFC 5280 appendix A, RFC 5758 3.2), as bytes of DER. */
const OID = {
  commonName: [0x55, 0x04, 0x03],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  basicConstraints: [0x55, 0x1d, 0x13],
  keyUsage: [0x55, 0x1d, 0x0f],
  extKeyUsage: [0x55, 0x1d, 0x25],
  subjectAltName: [0x55, 0x1d, 0x11],
  serverAuth: [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01],
} as const

/** Tags of DER (X.690 8). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const

const SERIAL_BYTES = 16
const PEM_LINE = 64
/** Years from here on are written with four digits (RFC 5280 4.1.2.5). */
const GENERALIZED_FROM = 2050

/** Serializes a self-signed certificate of a TLS server (RFC 5280 4.1), with ECDSA and SHA-256, as PEM. */
export function serializeCertificate(init: CertificateInit): string {
  const { commonName, notBefore, notAfter, privateKey } = init
  const algorithm = der(TAG.sequence, der(TAG.oid, OID.ecdsaWithSha256))
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, der(TAG.oid, OID.commonName), der(TAG.utf8String, Buffer.from(commonName)))),
  )
  const unsigned = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, [2])),
    der(TAG.integer, serialNumber()),
    algorithm,
    name,
    der(TAG.sequence, time(notBefore), time(notAfter)),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, der(TAG.sequence, ...extensions(init))),
  )
  const signature = sign('sha256', unsigned, { key: privateKey, dsaEncoding: 'der' })
  return toPem(der(TAG.sequence, unsigned, algorithm, der(TAG.bitString, [0], signature)))
}

function extensions({ names }: CertificateInit): Buffer[] {
  return [
    // No authority: the default is left out.
    extension(OID.basicConstraints, der(TAG.sequence), true),
    // The first bit, digitalSignature, of one byte with 7 unused bits.
    extension(OID.keyUsage, der(TAG.bitString, [7, 0x80]), true),
    extension(OID.extKeyUsage, der(TAG.sequence, der(TAG.oid, OID.serverAuth)), false),
    extension(OID.subjectAltName, der(TAG.sequence, ...names.map(generalName)), false),
  ]
}

function extension(oid: readonly number[], value: Buffer, critical: boolean): Buffer {
  const flag = critical ? [der(TAG.boolean, [0xff])] : []
  return der(TAG.sequence, der(TAG.oid, oid), ...flag, der(TAG.octetString, value))
}

function generalName(name: string): Buffer {
  const words = ipWords(name)
  return words === undefined
    ? der(TAG.dnsName, Buffer.from(name, 'latin1'))
    : der(TAG.ipAddress, new Uint8Array(words.buffer))
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/gu, '')
  return date.getUTCFullYear() < GENERALIZED_FROM
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits))
}

/** Returns a random positive number with a first byte other than zero. */
function serialNumber(): Buffer {
  const serial = randomBytes(SERIAL_BYTES)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  return serial
}

/** A value with its tag and length (X.690 8.1). */
function der(tag: number, ...contents: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(contents.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content])
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${PEM_LINE}}`, 'gu')) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
