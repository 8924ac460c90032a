import { generateKeyPairSync } from 'node:crypto'
import { serializeCertificate, type CertificateInit } from './x509.ts'

/** A certificate chain and its private key, both PEM. */
export type KeyPair = { readonly cert: string; readonly key: string }

/** Makes a key of the curve P-256, and a certificate of a TLS server that is signed with it. */
export function makeSelfSigned(init: Omit<CertificateInit, 'privateKey'>): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return { cert: serializeCertificate({ ...init, privateKey }), key }
}
