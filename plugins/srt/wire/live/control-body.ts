import type { ControlPacket } from '../packet/control-packet.ts'

type WithoutHeader<Packet> = Packet extends unknown ? Omit<Packet, 'timestamp' | 'destination'> : never

/** A control packet without its time stamp and destination. */
export type ControlBody = WithoutHeader<ControlPacket>

/** Sends a control packet. */
export type SendControl = (body: ControlBody) => void
