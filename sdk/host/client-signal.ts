import { carrierOf, type RoutedRequest } from '../http/request.ts'

/** A signal that aborts when the client of a request leaves. */
export type ClientSignal = {
  /** Aborts when the client leaves, until it is released. */
  readonly signal: AbortSignal
  /** Aborts it, for a client that is known to have left by other signs. */
  readonly leave: () => void
  readonly release: () => void
}

export function clientSignal(request: RoutedRequest): ClientSignal {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const carrier = carrierOf(request).once('close', leave)
  return { signal: leaving.signal, leave, release: () => void carrier.off('close', leave) }
}
