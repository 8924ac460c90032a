import type { LocalTerms } from './wire/handshake/negotiation.ts'

/** The limit of the 16-bit field in handshakes. */
const MAX_LATENCY_MS = 65_535

/** The terms of this end, with one latency for both directions. */
export function localTerms(latencyMs: number): LocalTerms {
  const latency = Math.min(Math.round(latencyMs), MAX_LATENCY_MS)
  return { receiveLatencyMs: latency, sendLatencyMs: latency }
}
