import { carrierOf, type RoutedRequest } from '../http/request.ts'

/** A signal that aborts when the client of a request leaves, until it is released. */
export function clientSignal(request: RoutedRequest): { readonly signal: AbortSignal; readonly release: () => void } {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const carrier = carrierOf(request).once('close', leave)
  return { signal: leaving.signal, release: () => void carrier.off('close', leave) }
}
