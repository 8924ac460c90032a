import { AsyncSeriesWaterfallHook } from 'tapable'
import type { SessionRequest } from 'sluice/sdk'
import { traced } from '../observe/tracing.ts'
import { GateMeters } from './gate-meters.ts'
import type { StreamOwner } from './stream-owner.ts'

/** The conditions under which a gate lets a session pass. */
export type Admission = {
  /** Another path for the session. Later gates still see the requested one. */
  readonly streamPath?: string
  /**
   * The lifetime of the session in milliseconds, as the control server wants it; recorded, not enforced (spec.md, Admission
   * response body).
   */
  readonly lifetimeMs?: number
  /** Called once when the session has ended, if it began at all. Must not throw or wait. */
  readonly onEnd?: () => void
}

/** The parts of a generation that the gates need. */
export type GateOwner = Pick<StreamOwner, 'log' | 'closingNotice'>

/** One step of the chain that every session from outside passes. */
export interface Gate {
  /** The name of the gate in metrics and traces. */
  readonly name: string
  /** Returns the conditions of the session; undefined for none. @throws {StreamDenied} with the reason as its cause */
  check(request: SessionRequest, owner: GateOwner): Promise<Admission | undefined>
}

/** The gates that are on, by direction. They are resolved when config changes, so that a gate that is off costs nothing. */
export type GateChains = {
  readonly publish: GateChain
  readonly play: GateChain
  /** The gates of `play` that every request of a session passes: they look at its query alone. */
  readonly playAuth: GateChain
}

/** A request that passed its gates. */
export type Admitted = {
  /** The request, with the path a gate may have rewritten. */
  readonly request: SessionRequest
  readonly lifetimeMs: number | undefined
  /** Called once the session has ended, if it began. */
  readonly onEnd: readonly (() => void)[]
}

/** The gates of one plugin and direction; each adds its admission to the result of those before. */
export class GateChain {
  readonly gates: readonly Gate[]
  readonly #hook = new AsyncSeriesWaterfallHook<[Admitted, SessionRequest, GateOwner]>(['admitted', 'asked', 'owner'])

  /** @param gates the gates in the order in which they are asked */
  constructor(gates: readonly Gate[], meters: GateMeters = new GateMeters()) {
    this.gates = gates
    for (const gate of gates) {
      const { name } = gate
      const span = { name: `gate ${name}` }
      this.#hook.tapPromise(name, async (admitted, asked, owner) =>
        add(admitted, await meters.check(name, () => traced(span, () => gate.check(asked, owner)))),
      )
    }
  }

  /**
   * Passes a request through the gates. The server's own sessions are exempt.
   * @throws {StreamDenied} when a gate denies; the first denial counts
   */
  async admit(request: SessionRequest, owner: GateOwner): Promise<Admitted> {
    const asking: Admitted = { request, lifetimeMs: undefined, onEnd: [] }
    if (request.type !== 'server' || this.gates.length === 0) return asking
    return this.#hook.promise(asking, request, owner)
  }
}

function add(admitted: Admitted, admission: Admission | undefined): Admitted {
  if (admission === undefined) return admitted
  const { request } = admitted
  const { streamPath, lifetimeMs = admitted.lifetimeMs, onEnd } = admission
  return {
    request: streamPath === undefined ? request : { ...request, streamPath },
    lifetimeMs,
    onEnd: onEnd === undefined ? admitted.onEnd : [...admitted.onEnd, onEnd],
  }
}
