import {
  checkStreamPath,
  CLIENT_LEFT,
  parseQuery,
  StreamDenied,
  StreamRedirect,
  StreamUnavailable,
  type Hooks,
  type Lead,
  type SessionAction,
  type SessionInit,
  type SessionRequest,
  type Undo,
} from 'sluice/sdk'
import { PlayTickets } from 'sluice/sdk/host'
import { logDenial } from '../auth/denial.ts'
import type { Admitted } from '../auth/gate.ts'
import type { Gatekeeper } from '../auth/gatekeeper.ts'
import type { StreamOwner } from '../auth/stream-owner.ts'
import type { MeteredAction, SessionMeter, SessionMeters } from './session-meters.ts'

/** The hooks that may refuse a session. */
type AdmissionHook = 'publish' | 'subscribe' | 'talk'

/** The hooks that admission needs. */
export interface AdmissionHooks {
  /**
   * Runs the hooks that may refuse a session.
   * @returns a function that undoes the work of the hooks for the session; a second call does nothing
   * @throws {SluiceError} when a hook refuses
   */
  admit(name: AdmissionHook, request: SessionRequest): Promise<Undo>
  isTapped(name: keyof Hooks): boolean
  /** The path that an admitted subscriber gets its stream from; undefined where that is the path that it asked for. */
  lead(request: SessionRequest): Lead | undefined
}

export type AdmissionGates = Pick<Gatekeeper, 'admit' | 'authenticate'>

/** A request that passed the gates and the hooks. */
export type AdmittedSession = Admitted & {
  /** To be called when the session has ended, or when it does not begin. */
  readonly undo: Undo
  readonly meter: SessionMeter
}

/** Passes requests for sessions through the gates, and then through the hooks. */
export class SessionAdmission {
  readonly tickets = new PlayTickets()
  readonly #gates: AdmissionGates
  readonly #hooks: AdmissionHooks
  readonly #meters: SessionMeters

  constructor(gates: AdmissionGates, hooks: AdmissionHooks, meters: SessionMeters) {
    this.#gates = gates
    this.#hooks = hooks
    this.#meters = meters
  }

  /** @throws {SluiceError} when a gate or hook refuses, or the client has left meanwhile */
  async admit(wanted: SessionAction | 'test', init: SessionInit, owner: StreamOwner): Promise<AdmittedSession> {
    const request = this.#requestOf(wanted === 'play' ? 'play' : 'publish', init, owner)
    // A test takes no path, so no hook can refuse it.
    const hook = { test: undefined, publish: 'publish', play: 'subscribe' } as const
    return logged(owner, request, this.#pass(request, owner, hook[wanted]))
  }

  /**
   * Admits a client that wants to talk to a source: by the gates for players, and the `talk` hooks. Clients need a hook that
   * admits them.
   * @throws {SluiceError} when a gate or hook refuses
   */
  async admitTalk(init: SessionInit, owner: StreamOwner): Promise<AdmittedSession> {
    const request = requestOf('play', init, owner)
    const isClosed = request.type === 'server' && !this.#hooks.isTapped('talk')
    const denied = () => Promise.reject(new StreamDenied('no plugin lets clients talk'))
    return logged(owner, request, isClosed ? denied() : this.#pass(request, owner, 'talk'))
  }

  /**
   * Passes a further request of an admitted session through the gates that look at its query.
   * @throws {StreamDenied} when a gate denies
   */
  async authenticate(init: SessionInit, owner: StreamOwner): Promise<void> {
    const request = this.#requestOf('play', init, owner)
    await logged(owner, request, this.#gates.authenticate(request, owner))
  }

  /** Creates the request. A session that plays by a ticket is the server's own, and its ticket is not shown. */
  #requestOf(action: SessionAction, init: SessionInit, owner: StreamOwner): SessionRequest {
    const request = requestOf(action, init, owner)
    const redeemed = action === 'play' ? this.tickets.redeem(request) : undefined
    return redeemed === undefined ? request : { ...redeemed, type: 'transform', params: parseQuery(redeemed.query) }
  }

  async #pass(request: SessionRequest, owner: StreamOwner, hook?: AdmissionHook): Promise<AdmittedSession> {
    const admitted = await this.#gates.admit(request, owner)
    const undo = hook === undefined ? () => {} : await this.#askHooks(admitted.request, hook)
    if (request.signal?.aborted === true) {
      undo()
      throw new StreamUnavailable(CLIENT_LEFT.text)
    }
    const action: MeteredAction = hook === 'talk' ? hook : request.action
    return { ...admitted, undo, meter: this.#meters.of(owner.plugin, action) }
  }

  async #askHooks(request: SessionRequest, hook: AdmissionHook): Promise<Undo> {
    if (!this.#hooks.isTapped(hook)) return () => {}
    try {
      return await this.#hooks.admit(hook, request)
    } catch (error) {
      throw error instanceof StreamRedirect ? error.withQuery(request.query) : error
    }
  }
}

function requestOf(action: SessionAction, init: SessionInit, owner: StreamOwner): SessionRequest {
  return {
    ...init,
    action,
    streamPath: checkStreamPath(init.streamPath),
    protocol: owner.plugin,
    type: init.type ?? 'server',
    params: parseQuery(init.query),
  }
}

/** Logs the reason when a request is denied. */
async function logged<T>(owner: StreamOwner, request: SessionRequest, passing: Promise<T>): Promise<T> {
  try {
    return await passing
  } catch (error) {
    if (error instanceof StreamDenied) logDenial(owner.log, request, error)
    throw error
  }
}
