import { BitReader } from '../../bits/bit-reader.ts'
import { MalformedError } from '../../errors.ts'

/** The start of a frame of AC-3 or E-AC-3 (ETSI TS 102 366 4.4.1, 4.4.2 and E.1.3.1). */
export type Ac3SyncFrame = {
  readonly codec: 'ac3' | 'eac3'
  readonly sampleRate: number
  /** The channels, the low-frequency one among them, without those that dependent substreams of E-AC-3 add. */
  readonly channels: number
  readonly sizeBytes: number
  readonly samplesPerFrame: number
  /** Bits a second. */
  readonly bitrate: number
  /** The fields that `dac3` and `dec3` boxes repeat. */
  readonly fscod: number
  readonly bsid: number
  /** The service; 0, the main one, for E-AC-3, where the field lies too deep within the frame. */
  readonly bsmod: number
  readonly acmod: number
  readonly lfeOn: boolean
  /** An independent stream of E-AC-3, or one that adds channels to it. Always true for AC-3. */
  readonly independent: boolean
  /** Position among the substreams of E-AC-3. */
  readonly substreamId: number
}

const AC3_HEADER_SIZE_BYTES = 8

const SYNC_WORD = 0x0b77
const SAMPLE_RATES = [48_000, 44_100, 32_000] as const
const CHANNELS_BY_ACMOD = [2, 1, 2, 3, 3, 4, 4, 5] as const
const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640] as const
const MAX_AC3_BSID = 8
const MIN_EAC3_BSID = 11
const MAX_EAC3_BSID = 16
const SAMPLES_PER_BLOCK = 256
const BLOCKS_BY_CODE = [1, 2, 3, 6] as const
const DEPENDENT = 1
const RESERVED_STREAM_TYPE = 3

/**
 * Parses the start of a frame.
 * @throws {MalformedError} when there is no frame of either codec, or one with a reserved value.
 */
export function parseAc3SyncFrame(frame: Buffer): Ac3SyncFrame {
  if (frame.length < AC3_HEADER_SIZE_BYTES) throw new MalformedError(`AC-3 frame of ${frame.length} bytes`)
  const sync = frame.readUInt16BE(0)
  if (sync !== SYNC_WORD) throw new MalformedError(`no AC-3 syncword: ${sync.toString(16).padStart(4, '0')}`)
  const bits = new BitReader(frame)
  bits.skipBits(16)
  // The field lies at the same place in both codecs, and tells them apart.
  const bsid = frame[5]! >> 3
  if (bsid <= MAX_AC3_BSID) return readAc3(bits)
  if (bsid >= MIN_EAC3_BSID && bsid <= MAX_EAC3_BSID) return readEac3(bits)
  throw new MalformedError(`AC-3 frame of bsid ${bsid}`)
}

function readAc3(bits: BitReader): Ac3SyncFrame {
  bits.skipBits(16) // crc1
  const fscod = bits.readBits(2)
  const frmsizecod = bits.readBits(6)
  const bsid = bits.readBits(5)
  const bsmod = bits.readBits(3)
  const acmod = bits.readBits(3)
  if ((acmod & 1) !== 0 && acmod !== 1) bits.skipBits(2) // cmixlev
  if ((acmod & 4) !== 0) bits.skipBits(2) // surmixlev
  if (acmod === 2) bits.skipBits(2) // dsurmod
  const lfeOn = bits.readFlag()
  const sampleRate = SAMPLE_RATES[fscod]
  const kilobits = KILOBITS[frmsizecod >> 1]
  if (!sampleRate || !kilobits) throw new MalformedError(`AC-3 frame of fscod ${fscod}, frmsizecod ${frmsizecod}`)
  const samplesPerFrame = 6 * SAMPLES_PER_BLOCK
  const bitrate = kilobits * 1000
  // The size is in words of 16 bits; the lowest bit adds one where the rate gives no whole number of words.
  const words = Math.floor((bitrate * samplesPerFrame) / sampleRate / 16) + (fscod === 1 ? frmsizecod & 1 : 0)
  return {
    codec: 'ac3',
    sampleRate,
    channels: CHANNELS_BY_ACMOD[acmod]! + (lfeOn ? 1 : 0),
    sizeBytes: 2 * words,
    samplesPerFrame,
    bitrate,
    fscod,
    bsid,
    bsmod,
    acmod,
    lfeOn,
    independent: true,
    substreamId: 0,
  }
}

function readEac3(bits: BitReader): Ac3SyncFrame {
  const streamType = bits.readBits(2)
  if (streamType === RESERVED_STREAM_TYPE) throw new MalformedError('E-AC-3 frame of a reserved stream type')
  const substreamId = bits.readBits(3)
  const sizeBytes = 2 * (1 + bits.readBits(11))
  const fscod = bits.readBits(2)
  const code = bits.readBits(2)
  // The code halves the rate when fscod is 3; there are always six blocks then.
  const sampleRate = fscod === 3 ? (SAMPLE_RATES[code] ?? 0) / 2 : SAMPLE_RATES[fscod]!
  if (sampleRate === 0) throw new MalformedError('E-AC-3 frame of a reserved sample rate')
  const samplesPerFrame = SAMPLES_PER_BLOCK * (fscod === 3 ? 6 : BLOCKS_BY_CODE[code]!)
  const acmod = bits.readBits(3)
  const lfeOn = bits.readFlag()
  return {
    codec: 'eac3',
    sampleRate,
    channels: CHANNELS_BY_ACMOD[acmod]! + (lfeOn ? 1 : 0),
    sizeBytes,
    samplesPerFrame,
    bitrate: Math.round((sizeBytes * 8 * sampleRate) / samplesPerFrame),
    fscod,
    bsid: bits.readBits(5),
    bsmod: 0,
    acmod,
    lfeOn,
    independent: streamType !== DEPENDENT,
    substreamId,
  }
}
