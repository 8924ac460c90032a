import type { EventEmitter } from 'node:events'
import { PermissionDenied, Unauthenticated } from '../login/login-errors.ts'

/** The connection or stream of an answer that may go on for hours. */
type Carrier = Pick<EventEmitter, 'once'> & { destroy(): unknown }

/**
 * Checks at intervals that the caller of a WebSocket or an event stream may still have it, and ends it when not: its request
 * was admitted long ago.
 * @param check rejects with `Unauthenticated` or `PermissionDenied` when not; other failures, as of the database, end nothing
 */
export function watchCaller(carrier: Carrier, check: () => Promise<unknown>, intervalMs: number): void {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const checkAgain = async (): Promise<void> => {
    try {
      await check()
    } catch (error) {
      if (error instanceof Unauthenticated || error instanceof PermissionDenied) return void carrier.destroy()
    }
    if (!isClosed) timer = setTimeout(() => void checkAgain(), intervalMs).unref()
  }
  timer = setTimeout(() => void checkAgain(), intervalMs).unref()
  carrier.once('close', () => {
    isClosed = true
    clearTimeout(timer)
  })
}
