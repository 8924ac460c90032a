/** Payload structures of H.265 (RFC 7798 4.4), which stand where single NAL units have their type. */
export const H265_PAYLOAD_TYPE = { AP: 48, FU: 49, PACI: 50 } as const
