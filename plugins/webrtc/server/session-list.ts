import type { TransportStatus } from '../transport/peer-transport.ts'

/** A session as operators see it. */
export type SessionView = Omit<TransportStatus, 'state'> & {
  readonly id: number
  readonly action: 'publish' | 'play'
  readonly streamPath: string
  readonly remoteAddr: string
  readonly startTime: string
  readonly state: TransportStatus['state'] | 'failed'
  /** Why it failed; empty before that. */
  readonly reason: string
}

/** A session that runs, of whichever generation. */
export type ListedSession = {
  view(): SessionView
  /** Ends it, as an operator wants. */
  stop(): void
}

/** Sessions that never got connected, the latest of them. */
const MAX_FAILED = 50

/** What is kept for all generations: it holds nothing of a session that has ended but data. */
export type SessionList = { readonly running: Map<number, ListedSession>; failed: readonly SessionView[] }

export function createSessionList(): SessionList {
  return { running: new Map(), failed: [] }
}

/** Keeps what was tried for a session that failed. */
export function keepFailed(list: SessionList, view: SessionView): void {
  list.failed = [...list.failed, view].slice(-MAX_FAILED)
}
