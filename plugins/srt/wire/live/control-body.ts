import type { ControlPacket } from '../packet/control-packet.ts'

type WithoutHeader<Packet> = Packet extends unknown ? Omit<Packet, 'timestamp' | 'destination'> : never

/** A control packet whose time stamp and destination are still to be filled in. */
export type ControlBody = WithoutHeader<ControlPacket>

/** Sends a control packet. */
export type SendControl = (body: ControlBody) => void
