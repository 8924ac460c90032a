import type { SessionRequest } from 'sluice/sdk'
import type { StreamOwner } from './stream-owner.ts'

/** What a gate that lets a session pass says about it. */
export type Admission = {
  /** Another path for the session. The gates after it still see the one that was asked for. */
  readonly streamPath?: string
  /** How long the control server wants the session to live; recorded, not enforced (spec.md, Admission response body). */
  readonly lifetimeMs?: number
  /** Called once when the session has ended, if it began at all. Must not throw or wait. */
  readonly onEnd?: () => void
}

/** What a gate needs to know of the generation that asks. */
export type GateOwner = Pick<StreamOwner, 'log' | 'closingNotice'>

/** One step of the chain that every session from outside passes. */
export interface Gate {
  /** @throws {StreamDenied} with the reason as its cause */
  check(request: SessionRequest, owner: GateOwner): Promise<Admission | undefined>
}

/** The gates that are on, in order, by direction. Resolved when config changes, so that a gate that is off costs nothing. */
export type GateChain = {
  readonly publish: readonly Gate[]
  readonly play: readonly Gate[]
  /** Those of `play` that every request of a session passes: they look at its query alone. */
  readonly playAuth: readonly Gate[]
}

/** A request that passed its gates. */
export type Admitted = {
  /** The request, with the path a gate may have rewritten. */
  readonly request: SessionRequest
  readonly lifetimeMs: number | undefined
  /** Called once the session has ended, if it began. */
  readonly onEnd: readonly (() => void)[]
}

/**
 * Leads a request through gates, in order. The server's own sessions are exempt.
 * @throws {StreamDenied} by the first gate that denies
 */
export async function passGates(gates: readonly Gate[], request: SessionRequest, owner: GateOwner): Promise<Admitted> {
  let passing = request
  let lifetimeMs: number | undefined
  const onEnd: (() => void)[] = []
  if (request.type !== 'server') return { request, lifetimeMs, onEnd }
  for (const gate of gates) {
    const admission = await gate.check(request, owner)
    if (admission?.streamPath !== undefined) passing = { ...passing, streamPath: admission.streamPath }
    lifetimeMs = admission?.lifetimeMs ?? lifetimeMs
    if (admission?.onEnd !== undefined) onEnd.push(admission.onEnd)
  }
  return { request: passing, lifetimeMs, onEnd }
}
