import type { Publisher, Subscriber } from 'sluice/sdk'
import { bframeProblem } from '../media/bframes.ts'
import { NotAcceptable } from '../sdp/not-acceptable.ts'
import type { TransportStatus } from '../transport/peer-transport.ts'
import type { MediaIngest, MediaPlayout } from './session-parts.ts'

/** The media of a session, from its peer or to it. */
export type SessionMedia = {
  connected(): void
  /** The peer has given a sign of life, with or without media. */
  alive(): void
  rtp(packet: Buffer, nowMs: number): void
  rtcp(packet: Buffer, nowMs: number): void
  counts(): Readonly<Record<string, string | number | undefined>>
  close(): void
}

/** The time for which a sign of life of the peer is its consent to be sent media (RFC 7675 5.1), and it counts as present. */
const CONSENT_MS = 30_000

/** Media that comes from the peer, which may pause it for as long as it likes. */
export function publishedMedia(ingest: MediaIngest, publisher: Publisher): SessionMedia {
  let isComplete = false
  return {
    connected: () => publisher.alive(CONSENT_MS),
    alive: () => publisher.alive(CONSENT_MS),
    rtp: (packet, nowMs) => {
      ingest.rtp(packet, nowMs)
      if (isComplete || !ingest.isComplete) return
      isComplete = true
      publisher.tracksComplete()
    },
    rtcp: (packet, nowMs) => {
      publisher.alive(CONSENT_MS)
      ingest.rtcp(packet, nowMs)
    },
    counts: () => ingest.counts,
    close: () => ingest.close(),
  }
}

/** Media that goes to the peer. */
export function playedMedia(playout: MediaPlayout): SessionMedia {
  return {
    connected: () => playout.start(),
    alive: () => {},
    // A viewer sends no RTP.
    rtp: () => {},
    rtcp: (packet) => playout.rtcp(packet),
    counts: () => playout.counts,
    close: () => playout.close(),
  }
}

/** @throws {NotAcceptable} when the parameter sets of a track announce B-frames; others are found while the stream plays */
export function checkBframes({ tracks }: Subscriber): void {
  for (const track of tracks) {
    const problem = bframeProblem(track)
    if (problem !== undefined) throw new NotAcceptable(problem)
  }
}

/** The details of a session in lists of publishers and subscribers. */
export function sessionDetails(
  { state, pair, rttMs, profile }: Pick<TransportStatus, 'state' | 'pair' | 'rttMs' | 'profile'>,
  media: SessionMedia | undefined,
): Record<string, string | number> {
  const fields = { state, pair, rttMs, profile, ...media?.counts() }
  const known = Object.entries(fields).filter((entry): entry is [string, string | number] => entry[1] !== undefined)
  return Object.fromEntries(known)
}
