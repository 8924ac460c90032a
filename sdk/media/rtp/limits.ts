/** The largest access unit in packets of 1 KiB. */
export const MAX_PACKETS_PER_ACCESS_UNIT = 16_384
