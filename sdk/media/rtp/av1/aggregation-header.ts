/** Bits of the aggregation header: Z | Y | W (2) | N | 0 (3) (RTP Payload Format For AV1 4.4). */
export const AV1_AGGREGATION = {
  /** Z: the first element goes on with one of the packet before. */
  GOES_ON: 0x80,
  /** Y: the last element goes on in the next packet. */
  CONTINUES: 0x40,
  /** N: a coded video sequence begins. */
  NEW_SEQUENCE: 0x08,
  /** W: the number of elements, of which the last has no size; with 0 all have one. */
  COUNT_SHIFT: 4,
  MAX_COUNT: 3,
} as const
