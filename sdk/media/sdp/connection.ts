import { joinWords, parseDecimal, splitWords } from './line.ts'

/** The address that media goes to (RFC 8866 5.7, `c=`). */
export type SdpConnection = {
  readonly addressType: 'IP4' | 'IP6'
  /** An address or a host name. */
  readonly address: string
  /** The time to live of multicast by IPv4. */
  readonly ttl?: number
  /** The number of multicast addresses that follow each other, by IPv4 only beside a `ttl`; one if it is left out. */
  readonly addressCount?: number
}

const WORD_COUNT = 3
const MAX_TTL = 255
const MAX_ADDRESS_COUNT = 0xffff

/** Parses the value of a `c=` line; undefined for a line without an internet address. */
export function parseConnection(line: string): SdpConnection | undefined {
  const [, type = '', place = ''] = splitWords(line, WORD_COUNT)
  const addressType = addressTypeOf(type)
  const [address = '', ...numbers] = place.split('/', WORD_COUNT)
  if (addressType === undefined || address === '') return undefined
  const ttl = addressType === 'IP4' ? parseDecimal(numbers.shift(), MAX_TTL) : undefined
  const addressCount = parseDecimal(numbers.shift(), MAX_ADDRESS_COUNT)
  return {
    addressType,
    address,
    ...(ttl !== undefined && { ttl }),
    ...(addressCount !== undefined && (addressType === 'IP6' || ttl !== undefined) && { addressCount }),
  }
}

function addressTypeOf(word: string): SdpConnection['addressType'] | undefined {
  const type = word.toUpperCase()
  return type === 'IP4' || type === 'IP6' ? type : undefined
}

/** The value of a `c=` line. @throws {MalformedError} when the address is no word. */
export function serializeConnection({ addressType, address, ttl, addressCount }: SdpConnection): string {
  const place = [address, ttl, addressCount].filter((part) => part !== undefined).join('/')
  return joinWords(['IN', addressType, place])
}
