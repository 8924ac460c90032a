import { performance } from 'node:perf_hooks'

/** Microseconds that never go back, whole ones. */
export function nowUs(): number {
  return Math.round(performance.now() * 1000)
}
