/** Payload structures of H.264 (RFC 6184 5.2), which stand where single NAL units have their type. */
export const H264_PAYLOAD_TYPE = { STAP_A: 24, FU_A: 28 } as const
