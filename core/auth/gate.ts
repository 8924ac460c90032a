import type { SessionRequest } from 'sluice/sdk'

/** What a gate that lets a session pass says about it. */
export type Admission = {
  /** Another path for the session. The gates after it still see the one that was asked for. */
  readonly streamPath?: string
  /** How long the control server wants the session to live; recorded, not enforced (spec.md, Admission response body). */
  readonly lifetimeMs?: number
  /** Called once when the admitted session has ended. Must not throw or wait. */
  readonly onEnd?: () => void
}

/** One step of the chain that every session from outside passes. */
export interface Gate {
  /** @throws {StreamDenied} with the reason as its cause */
  check(request: SessionRequest): Promise<Admission | undefined>
}

/** The gates that are on, in order, by direction. Resolved when config changes, so that a gate that is off costs nothing. */
export type GateChain = {
  readonly publish: readonly Gate[]
  readonly play: readonly Gate[]
  /** Those of `play` that every request of a session passes: they look at its query alone. */
  readonly playAuth: readonly Gate[]
}
