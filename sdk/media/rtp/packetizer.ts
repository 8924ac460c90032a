import type { AccessUnit } from '../access-unit.ts'

/** The payload of one RTP packet: pieces that follow each other, views into the unit wherever that is possible. */
export type RtpPayload = {
  readonly parts: readonly Buffer[]
  /** Size of all parts. */
  readonly sizeBytes: number
  /** The marker bit of the packet, as the payload format defines it. */
  readonly marker: boolean
  /** The ticks of the clock rate by which the payload plays later than its unit: for samples that were cut; else it is absent. */
  readonly offsetTicks?: number
}

/** Cuts the access units of one track into payloads of RTP packets, with the time of the unit, or `offsetTicks` later. */
export interface RtpPacketizer {
  /**
   * Returns the payloads of a unit in their order; none for a unit that has nothing to send.
   * @throws {MalformedError} when the unit is broken
   */
  packetize(unit: AccessUnit): readonly RtpPayload[]
}
