import { MalformedError } from 'sluice/sdk/media'
import { parseControlPacket } from '../packet/control-packet.ts'
import { HANDSHAKE_TYPE, HANDSHAKE_VERSION, type HandshakePacket } from '../packet/handshake-packet.ts'
import { type Conclusion, modeRefusal, readConclusion } from './conclusion.ts'
import { hasRoom } from './negotiation.ts'
import { REFUSAL_TYPE_BASE, REJECT_REASON } from './reject-reason.ts'

/** A handshake that came, with what its extensions say. */
export type ReceivedHandshake = {
  handshake: HandshakePacket
  conclusion: Conclusion
  timestamp: number
  destination: number
}

/** Reads a datagram from outside: `undefined` where it is no handshake or is broken. Buffers are views. */
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

/** Whether the handshake refuses this end's one. */
export function isRefusal({ type }: HandshakePacket): boolean {
  return type >= REFUSAL_TYPE_BASE && type < HANDSHAKE_TYPE.agreement
}

/** Why no connection is possible with what the peer concludes, if none is: one of REJECT_REASON. */
export function refusalOf({ handshake, conclusion }: ReceivedHandshake): number | undefined {
  if (handshake.version < HANDSHAKE_VERSION) return REJECT_REASON.version
  return modeRefusal(conclusion) ?? (hasRoom(handshake) ? undefined : REJECT_REASON.rogue)
}
