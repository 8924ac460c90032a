import { MalformedError } from 'sluice/sdk/media'
import { parseControlPacket } from '../packet/control-packet.ts'
import { HANDSHAKE_TYPE, HANDSHAKE_VERSION, type HandshakePacket } from '../packet/handshake-packet.ts'
import { type Conclusion, modeRefusal, readConclusion } from './conclusion.ts'
import { hasRoom } from './negotiation.ts'
import { REFUSAL_TYPE_BASE, REJECT_REASON } from './reject-reason.ts'

/** A handshake that came, with the content of its extensions. */
export type ReceivedHandshake = {
  handshake: HandshakePacket
  conclusion: Conclusion
  timestamp: number
  destination: number
}

/** Parses a datagram of a peer: `undefined` when it is malformed or not a handshake. Buffers are views. */
export function readHandshake(datagram: Buffer): ReceivedHandshake | undefined {
  try {
    const packet = parseControlPacket(datagram)
    if (packet?.kind !== 'handshake') return undefined
    const { handshake, timestamp, destination } = packet
    return { handshake, conclusion: readConclusion(handshake), timestamp, destination }
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

/** True when the handshake is a refusal. */
export function isRefusal({ type }: HandshakePacket): boolean {
  return type >= REFUSAL_TYPE_BASE && type < HANDSHAKE_TYPE.agreement
}

/** The reject reason when no connection is possible with the peer's conclusion: one of REJECT_REASON. */
export function refusalOf({ handshake, conclusion }: ReceivedHandshake): number | undefined {
  if (handshake.version < HANDSHAKE_VERSION) return REJECT_REASON.version
  return modeRefusal(conclusion) ?? (hasRoom(handshake) ? undefined : REJECT_REASON.rogue)
}
