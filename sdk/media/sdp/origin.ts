import { joinWords, splitWords } from './line.ts'

/** The creator of a description (RFC 8866 5.2, `o=`). The numbers may have 64 bits, so they are texts of digits. */
export type SdpOrigin = {
  /** `-` for none. */
  readonly username: string
  readonly sessionId: string
  /** Becomes higher with each change of the description. */
  readonly sessionVersion: string
  readonly addressType: string
  readonly address: string
}

/** The origin of a description without one; it also fills the gaps of a broken one. */
export const UNKNOWN_ORIGIN: SdpOrigin = {
  username: '-',
  sessionId: '0',
  sessionVersion: '0',
  addressType: 'IP4',
  address: '0.0.0.0',
}

// One more than there should be: cameras of Tapo have another number before the address.
const MAX_WORDS = 7
const DIGITS = /^\d{1,20}$/u

/** Parses the value of an `o=` line. */
export function parseOrigin(line: string): SdpOrigin {
  const words = line === '' ? [] : splitWords(line, MAX_WORDS)
  const network = words.indexOf('IN', 1)
  const [username, sessionId, sessionVersion] = network === -1 ? words : words.slice(0, network)
  const [addressType, address] = network === -1 ? words.slice(4) : words.slice(network + 1)
  return {
    username: username ?? UNKNOWN_ORIGIN.username,
    sessionId: digitsOf(sessionId) ?? UNKNOWN_ORIGIN.sessionId,
    sessionVersion: digitsOf(sessionVersion) ?? UNKNOWN_ORIGIN.sessionVersion,
    addressType: addressType ?? UNKNOWN_ORIGIN.addressType,
    address: address ?? UNKNOWN_ORIGIN.address,
  }
}

function digitsOf(word: string | undefined): string | undefined {
  return word !== undefined && DIGITS.test(word) ? word : undefined
}

/** The value of an `o=` line. @throws {MalformedError} when a part of it is no word. */
export function serializeOrigin({ username, sessionId, sessionVersion, addressType, address }: SdpOrigin): string {
  return joinWords([username, sessionId, sessionVersion, 'IN', addressType, address])
}
