import type { SessionRequest, StreamAuthHandler } from 'sluice/sdk'
import type { StreamOwner } from '../stream/stream-owner.ts'
import { AuthHandlers } from './auth-handlers.ts'
import type { GateChain } from './gate.ts'

/** What the gates say of a session that may go on. */
export type Passage = {
  /** The request, with the path a gate may have rewritten. */
  readonly request: SessionRequest
  readonly lifetimeMs: number | undefined
  /** To be told once the session has ended, or could not begin. */
  readonly onEnd: readonly (() => void)[]
}

/** Decides who may publish and play: runs the gates that are on, in order. */
export class Gatekeeper {
  readonly #handlers = new AuthHandlers()

  /** The gates that hold for a plugin's sessions; made when its config changes, not per request. */
  chainFor(_owner: StreamOwner): GateChain {
    return { publish: [], play: [] }
  }

  setHandler(owner: object, handler: StreamAuthHandler | null): void {
    this.#handlers.set(owner, handler)
  }

  removeOwner(owner: object): void {
    this.#handlers.removeOwner(owner)
  }

  /**
   * Leads a request through a chain; the server's own sessions are exempt.
   * @throws {StreamDenied}
   */
  async admit(request: SessionRequest, chain: GateChain): Promise<Passage> {
    const gates = chain[request.action]
    if (gates.length === 0 || request.type !== 'server') return { request, lifetimeMs: undefined, onEnd: [] }
    let passing = request
    let lifetimeMs: number | undefined
    const onEnd: (() => void)[] = []
    try {
      for (const gate of gates) {
        const admission = await gate.check(passing)
        if (admission === undefined) continue
        if (admission.streamPath !== undefined) passing = { ...passing, streamPath: admission.streamPath }
        lifetimeMs = admission.lifetimeMs ?? lifetimeMs
        if (admission.onEnd !== undefined) onEnd.push(admission.onEnd)
      }
    } catch (error) {
      for (const end of onEnd) end()
      throw error
    }
    return { request: passing, lifetimeMs, onEnd }
  }
}
