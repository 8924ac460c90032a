import { BitReader } from '../../bits/bit-reader.ts'
import { MalformedError } from '../../errors.ts'
import type { RtpFormat } from '../format.ts'

/** The numbers of bits in the fields of AU headers (RFC 3640 3.2.1.1 and 4.1). */
export type AuHeaderLayout = {
  readonly sizeLength: number
  readonly indexLength: number
  readonly indexDeltaLength: number
  readonly ctsDeltaLength: number
  readonly dtsDeltaLength: number
  readonly randomAccessIndication: boolean
  readonly streamStateLength: number
  readonly auxiliaryDataSizeLength: number
}

const MAX_FIELD_LENGTH = 32
const HEADERS_LENGTH_SIZE_BYTES = 2
const HIGH_BIT_RATE = { sizelength: 13, indexlength: 3, indexdeltalength: 3 } as const
const LOW_BIT_RATE = { sizelength: 6, indexlength: 2, indexdeltalength: 2 } as const

/**
 * Returns the layout that `fmtp` states; missing values are those of the mode AAC-lbr, where it names that, or else AAC-hbr
 * (RFC 3640 3.3).
 */
export function auHeaderLayout({ parameters }: RtpFormat): AuHeaderLayout {
  const mode = parameters.get('mode')?.trim().toLowerCase() === 'aac-lbr' ? LOW_BIT_RATE : HIGH_BIT_RATE
  const length = (name: string, otherwise: number) => {
    const value = Number.parseInt(parameters.get(name) ?? '', 10)
    return value >= 0 && value <= MAX_FIELD_LENGTH ? value : otherwise
  }
  // The end of a frame is unknown without sizes.
  return {
    sizeLength: length('sizelength', mode.sizelength) || mode.sizelength,
    indexLength: length('indexlength', mode.indexlength),
    indexDeltaLength: length('indexdeltalength', mode.indexdeltalength),
    ctsDeltaLength: length('ctsdeltalength', 0),
    dtsDeltaLength: length('dtsdeltalength', 0),
    randomAccessIndication: parameters.get('randomaccessindication')?.trim() === '1',
    streamStateLength: length('streamstateindication', 0),
    auxiliaryDataSizeLength: length('auxiliarydatasizelength', 0),
  }
}

/**
 * Reads the headers before the access units of a payload (RFC 3640 3.2.1):
 *
 *     AU-headers-length (16, in bits) | headers: size | index, or what it is more than one above the last | further fields
 *     | auxiliary section
 *
 * @returns the sizes of the access units, and where the first one begins
 * @throws {MalformedError} when the payload ends within the headers, or the access units are not in their order
 */
export function readAuHeaders(
  payload: Buffer,
  layout: AuHeaderLayout,
): { readonly sizes: readonly number[]; readonly offset: number } {
  if (payload.length < HEADERS_LENGTH_SIZE_BYTES) throw new MalformedError(`AAC payload of ${payload.length} bytes`)
  const lengthBits = payload.readUInt16BE(0)
  const offset = HEADERS_LENGTH_SIZE_BYTES + Math.ceil(lengthBits / 8)
  if (offset > payload.length) {
    throw new MalformedError(`AU headers of ${lengthBits} bits in a payload of ${payload.length} bytes`)
  }
  const bits = new BitReader(payload.subarray(HEADERS_LENGTH_SIZE_BYTES, offset))
  const sizes: number[] = []
  while (lengthBits - bits.position >= layout.sizeLength) {
    sizes.push(bits.readBits(layout.sizeLength))
    skipRestOfHeader(bits, layout, sizes.length === 1)
  }
  if (sizes.length === 0) throw new MalformedError(`AU headers of ${lengthBits} bits have none in them`)
  return { sizes, offset: offset + auxiliarySizeBytes(payload.subarray(offset), layout) }
}

function skipRestOfHeader(bits: BitReader, layout: AuHeaderLayout, first: boolean): void {
  // The index of the first counts packets where access units are interleaved, and nothing else.
  if (first) bits.skipBits(layout.indexLength)
  else {
    const delta = bits.readBits(layout.indexDeltaLength)
    if (delta > 0) throw new MalformedError(`interleaved AAC is not supported: AU-Index-delta ${delta}`)
  }
  if (layout.ctsDeltaLength > 0 && bits.readFlag()) bits.skipBits(layout.ctsDeltaLength)
  if (layout.dtsDeltaLength > 0 && bits.readFlag()) bits.skipBits(layout.dtsDeltaLength)
  bits.skipBits((layout.randomAccessIndication ? 1 : 0) + layout.streamStateLength)
}

/** Size of the section after the headers: the number of its bits, and as many of them (RFC 3640 3.2.2). */
function auxiliarySizeBytes(section: Buffer, { auxiliaryDataSizeLength }: AuHeaderLayout): number {
  if (auxiliaryDataSizeLength === 0) return 0
  const bits = new BitReader(section)
  bits.skipBits(bits.readBits(auxiliaryDataSizeLength))
  return Math.ceil(bits.position / 8)
}
