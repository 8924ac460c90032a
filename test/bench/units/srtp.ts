import { createPacketArena } from 'sluice/sdk'
import { RtpPacket, SrtpSession } from 'werift'
import { cryptoLibrary } from '../../../plugins/webrtc/srtp/crypto-library.ts'
import { loadNativeLibrary } from '../../../plugins/webrtc/srtp/native-library.ts'
import { ReceiverContext } from '../../../plugins/webrtc/srtp/receiver-context.ts'
import { SenderContext } from '../../../plugins/webrtc/srtp/sender-context.ts'
import { srtpKeys } from '../../../plugins/webrtc/srtp/fixtures/keys.ts'
import type { SrtpKeys } from '../../../plugins/webrtc/srtp/srtp-context.ts'
import type { UnitBench } from './unit-bench.ts'

const PROFILES = [
  { name: 'GCM', profile: 'SRTP_AEAD_AES_128_GCM', weriftProfile: 7 },
  { name: 'CM', profile: 'SRTP_AES128_CM_HMAC_SHA1_80', weriftProfile: 1 },
] as const
const HEADER_BYTES = 20
const PACKET_BYTES = 1200
const ROOM_BYTES = PACKET_BYTES + 16
const PACKETS = 40
/** The packets of a picture. */
const RUN_BYTES = 8 * ROOM_BYTES

/** What it takes to encrypt an RTP packet, and to encrypt and decrypt it: by each library, and by werift. */
export function srtpBenches(): UnitBench[] {
  const native = loadNativeLibrary()
  const libraries = native === undefined ? [cryptoLibrary] : [native, cryptoLibrary]
  return PROFILES.flatMap(({ name, profile, weriftProfile }) => {
    const keys = srtpKeys(profile)
    const ours = libraries.flatMap((library) => [
      sealBench(`SRTP ${name} ${library.name}`, new SenderContext(library, keys)),
      sealBench(
        `SRTP ${name} ${library.name} there and back`,
        new SenderContext(library, keys),
        new ReceiverContext(library, keys),
      ),
    ])
    return [...ours, weriftBench(`SRTP ${name} werift`, keys, weriftProfile)]
  })
}

function sealBench(name: string, sender: SenderContext, receiver?: ReceiverContext): UnitBench {
  const arena = createPacketArena(PACKETS * ROOM_BYTES)
  let sequenceNumber = 0
  const run = () => {
    for (let start = 0; start < arena.bytes.length; start += RUN_BYTES) {
      for (let offset = start; offset < start + RUN_BYTES; offset += ROOM_BYTES) {
        sequenceNumber = writeHeader(arena.bytes, offset, sequenceNumber)
        sender.protectRtp(arena, offset, HEADER_BYTES, PACKET_BYTES)
      }
      sender.finishRtp()
      if (receiver === undefined) continue
      for (let offset = start; offset < start + RUN_BYTES; offset += ROOM_BYTES) {
        receiver.unprotectRtp(arena.bytes.subarray(offset, offset + PACKET_BYTES + sender.overheadBytes))
      }
    }
    if (receiver !== undefined && receiver.rejectedPackets > 0) throw new Error(`${name}: rejected`)
  }
  return { name, units: PACKETS, run }
}

function weriftBench(name: string, { masterKey, masterSalt }: SrtpKeys, profile: 1 | 7): UnitBench {
  const session = new SrtpSession({
    profile,
    keys: {
      localMasterKey: masterKey,
      localMasterSalt: masterSalt,
      remoteMasterKey: masterKey,
      remoteMasterSalt: masterSalt,
    },
  })
  const clear = Buffer.alloc(PACKET_BYTES)
  writeHeader(clear, 0, 0)
  const { header, payload } = RtpPacket.deSerialize(clear)
  const run = () => {
    for (let count = 0; count < PACKETS; count++) {
      header.sequenceNumber = (header.sequenceNumber + 1) & 0xffff
      session.encrypt(payload, header)
    }
  }
  return { name, units: PACKETS, run }
}

/** With an extension of one word, as transport-wide sequence numbers have it. */
function writeHeader(bytes: Buffer, offset: number, sequenceNumber: number): number {
  bytes.writeUInt32BE(0x90600000 + sequenceNumber, offset)
  bytes.writeUInt32BE(7, offset + 8)
  bytes.writeUInt32BE(0xbede0001, offset + 12)
  return (sequenceNumber + 1) & 0xffff
}
