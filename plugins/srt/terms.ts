import type { LocalTerms } from './wire/handshake/negotiation.ts'

/** Handshakes have 16 bits for it. */
const MAX_LATENCY_MS = 65_535

/** What this end asks for, with one latency for both directions. */
export function localTerms(latencyMs: number): LocalTerms {
  const latency = Math.min(Math.round(latencyMs), MAX_LATENCY_MS)
  return { receiveLatencyMs: latency, sendLatencyMs: latency }
}
