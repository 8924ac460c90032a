import type { ProtocolTraits } from 'sluice/sdk'
import { RTMP_VERSION } from './wire/handshake/handshake.ts'

/** The traits by which others recognize RTMP; its clients send their version before anything else (RTMP 1.0, 5.2.2). */
export const RTMP = {
  number: 1,
  schemes: { rtmp: { tcpPort: 1935 }, rtmps: { tcpPort: 443 } },
  firstByte: RTMP_VERSION,
} as const satisfies ProtocolTraits
