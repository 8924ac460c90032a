import type { TransportStatus } from '../transport/peer-transport.ts'

/** A session in the list for operators. */
export type SessionView = Omit<TransportStatus, 'state'> & {
  readonly id: number
  readonly action: 'publish' | 'play'
  readonly streamPath: string
  readonly remoteAddr: string
  readonly startTime: string
  readonly state: TransportStatus['state'] | 'failed'
  /** The reason for its failure; empty before that. */
  readonly reason: string
}

/** A running session of any generation. */
export type ListedSession = {
  view(): SessionView
  /** Ends the session, as an operator has asked. */
  stop(): void
}

/** The number of failed sessions that are kept, the latest ones. */
const MAX_FAILED = 50

/** The sessions of all generations; only data are kept of those that have ended. */
export type SessionList = { readonly running: Map<number, ListedSession>; failed: readonly SessionView[] }

export function createSessionList(): SessionList {
  return { running: new Map(), failed: [] }
}

/** Keeps the data of a session that failed. */
export function keepFailed(list: SessionList, view: SessionView): void {
  list.failed = [...list.failed, view].slice(-MAX_FAILED)
}
