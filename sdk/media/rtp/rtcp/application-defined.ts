import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'

const NAME_SIZE_BYTES = 4

/** A packet of an application's own (RFC 3550 6.7): SSRC (32) | name (32) | data. */
export type ApplicationDefined = {
  readonly kind: 'applicationDefined'
  /** 0–31. */
  readonly subtype: number
  readonly ssrc: number
  /** Four characters of ASCII. */
  readonly name: string
  /** Whole words of 4 bytes; a view. */
  readonly data: Buffer
}

/** @throws {MalformedError} when it ends early. */
export function parseApplicationDefined({ count, body }: RawRtcpPacket): ApplicationDefined {
  const reader = new ByteReader(body)
  return {
    kind: 'applicationDefined',
    subtype: count,
    ssrc: reader.readUint(4),
    name: reader.readBytes(NAME_SIZE_BYTES).toString('latin1'),
    data: reader.readBytes(reader.bytesLeft),
  }
}

/** @throws {MalformedError} when the name is not of four characters. */
export function serializeApplicationDefined({ subtype, ssrc, name, data }: ApplicationDefined): RawRtcpPacket {
  if (name.length !== NAME_SIZE_BYTES) throw new MalformedError(`RTCP packet of an application named '${name}'`)
  const head = Buffer.alloc(4 + NAME_SIZE_BYTES)
  head.write(name, head.writeUInt32BE(ssrc, 0), 'latin1')
  return { type: RTCP_TYPE.applicationDefined, count: subtype, body: Buffer.concat([head, data]) }
}
