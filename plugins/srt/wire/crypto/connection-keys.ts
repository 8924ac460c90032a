import { randomBytes } from 'node:crypto'
import { KeyEncryption, type StreamKeys } from './key-encryption.ts'
import { EVEN_KEY, parseKeyMaterial, SALT_BYTES, type KeyBytes } from './key-material.ts'
import { ReceivingKeys } from './receiving-keys.ts'
import { SendingKeys, type KeyOptions } from './sending-keys.ts'

/** The keys of an encrypted connection. One exchange serves both directions (draft-sharabayko-srt-01 6.1.5); then each renews its own. */
export type ConnectionKeys = { readonly sending: SendingKeys; readonly receiving: ReceivingKeys }

/** The options of a caller's keys. */
export type KeyOffer = KeyOptions & { readonly passphrase: string; readonly keyBytes: KeyBytes }

/** Makes the keys that a caller offers: `sending.message` is the request for its handshake. */
export async function offerKeys(offer: KeyOffer): Promise<ConnectionKeys> {
  const { passphrase, keyBytes, random = randomBytes } = offer
  const salt = random(SALT_BYTES)
  const keys: StreamKeys = new Map([[EVEN_KEY, random(keyBytes)]])
  const encryption = await KeyEncryption.derive(passphrase, salt, keyBytes)
  return createKeys(passphrase, encryption, keys, encryption.wrap(keys), offer)
}

/**
 * Takes the keys that a caller offers: `sending.message` is the answer to it. Undefined for a wrong passphrase.
 * @throws {MalformedError} for a broken message, or another cipher than AES in counter mode
 */
export async function acceptKeys(
  message: Buffer,
  passphrase: string,
  options: KeyOptions = {},
): Promise<ConnectionKeys | undefined> {
  const material = parseKeyMaterial(message)
  const copy = Buffer.from(message)
  const encryption = await KeyEncryption.derive(passphrase, material.salt, material.keyBytes)
  const keys = encryption.unwrap(material)
  return keys === undefined ? undefined : createKeys(passphrase, encryption, keys, copy, options)
}

function createKeys(
  passphrase: string,
  encryption: KeyEncryption,
  keys: StreamKeys,
  message: Buffer,
  options: KeyOptions,
): ConnectionKeys {
  return {
    sending: new SendingKeys(encryption, keys, message, options),
    receiving: new ReceivingKeys(passphrase, encryption, keys, message),
  }
}
