import type { Publisher } from 'sluice/sdk'
import type { Timers } from '../plugin-context.ts'
import { RtspClientError } from './client-error.ts'

/** The number of keepalives to a silent source within `publishtimeout`, in intervals between the two below. */
const QUESTIONS_PER_TIMEOUT = 4
const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 2500

export type AskWhileSilentOptions = {
  readonly publisher: Pick<Publisher, 'config' | 'writtenBytes' | 'alive'>
  /** Sends a keepalive, and rejects with an {@link RtspClientError} when the source does not answer, or has no such session. */
  readonly ask: () => Promise<void>
  readonly timers: Pick<Timers, 'setInterval'>
}

/**
 * Sends keepalives to a source while it sends no media: one that answers is paused, not gone. The usual keepalives of RTSP are too far
 * apart to notice a source without power.
 * @returns a function that stops it
 */
export function askWhileSilent({ publisher, ask, timers }: AskWhileSilentOptions): () => void {
  const { publishtimeout } = publisher.config
  if (publishtimeout === 0) return () => {}
  let writtenBytes = NaN
  let isAsking = false
  return timers.setInterval(
    () => {
      const wasSilent = writtenBytes === publisher.writtenBytes
      writtenBytes = publisher.writtenBytes
      if (!wasSilent || isAsking) return
      isAsking = true
      void ask()
        .then(
          () => publisher.alive(),
          (error: unknown) => {
            if (!(error instanceof RtspClientError)) throw error
          },
        )
        .finally(() => (isAsking = false))
    },
    Math.min(Math.max(publishtimeout / QUESTIONS_PER_TIMEOUT, MIN_INTERVAL_MS), MAX_INTERVAL_MS),
  )
}
