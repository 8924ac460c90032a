import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ServerNode } from 'sluice/sdk'
import type { AnswerPart } from 'sluice/sdk/host'

/** The name of the server's own work that only one process does: operations with the reach `one` that are no plugin's. */
export const SERVER_WORK = 'the server'
/** Stands for the addresses of administration in the place of a plugin. No plugin has such a name. */
export const ADMINISTRATION = 'the administration'

/**
 * The processes of a server, as one of them sees the others. `SingleProcess` is the implementation for a server that has only
 * one; a further implementation brings the transport between processes, on one machine or between several.
 *
 * Ids of sessions and generations carry the process that gave them out (`processOf`), so no process has to be asked for their
 * owner. While `others` is empty, the server calls none of `ask`, `owner` and `hand`.
 */
export interface Peers {
  /** This process. No two processes that know each other have the same number. */
  readonly node: ServerNode
  /** The key that seals session tokens: 32 bytes, the same in all processes, so that each reads the tokens of the others. */
  readonly tokenKey: Buffer
  /** The numbers of the other processes that can be asked now. A process that has died is taken out as soon as that is known. */
  readonly others: readonly number[]
  /** Makes `service` answer the requests of other processes. A later service takes its place. */
  serve(service: PeerService): void
  /**
   * Asks another process to do an operation. An error of its handler is an answer, too.
   * @param signal aborts when the answer is not needed any more; the handler's signal then aborts, too
   * @throws {PeerAway} when the process can't be reached
   */
  ask(process: number, call: PeerCall, signal: AbortSignal): Promise<PeerAnswer>
  /**
   * Finds the process that has something, which may be this one. Clients ask for paths that do not exist, so the processes
   * exchange lists of their streams, work and routes, and a look-up sends no request.
   * @returns undefined where none has it
   * @throws {PeerAway} when the owner is not known at present
   */
  owner(of: Owned): Promise<number | undefined>
  /**
   * Hands a request on to another process, whose service answers it. Settles when the other process has it. There, the
   * request has the address of its client, which the gates and the guard of the administration check.
   * @throws {PeerAway} when the process can't be reached; nothing of the request is read then, nor of the answer written
   */
  hand(process: number, exchange: Exchange): Promise<void>
  /**
   * Asks to be the one process that does some work. Among the processes that ask for a name, one holds it at a time.
   * @param onChange called after `isHeld` has changed, and not before this method has returned
   */
  claim(name: string, onChange: () => void): Claim
}

/** The claim of one process to work that only one may do. */
export interface Claim {
  /** True while this process holds the claim. That may begin later, and end at any time. */
  readonly isHeld: boolean
  /** Gives the claim up, for another process to take. Idempotent. */
  release(): void
}

/** Something that one process has: a published stream, work under a name, or a route at a path with its query. */
export type Owned = { readonly stream: string } | { readonly one: string } | { readonly path: string }

/** An operation that another process is to do: plain data, as `structuredClone` takes it. */
export type PeerCall = {
  /** The plugin of the operation; left out for the server's own. */
  readonly plugin?: string
  /** The method and path of the operation's definition. */
  readonly method: string
  readonly path: string
  /** The input, as the operation's schemas have read it. */
  readonly input: {
    readonly params: unknown
    readonly query: unknown
    readonly body: unknown
    readonly user: string
  }
  /** The request that the client sent. */
  readonly request: {
    readonly url: string
    readonly headers: IncomingHttpHeaders
    readonly ip: string
    readonly port: number
  }
}

/** The answer of another process: plain data, as `structuredClone` takes it. */
export type PeerAnswer = AnswerPart | { readonly error: PeerError }

/** An error that a handler has thrown in another process, as its client gets it. */
export type PeerError = {
  readonly code: string
  readonly statusCode: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request on its way to another process, and the response, or the socket of an upgrade, for its answer. */
export type Exchange = {
  /** The request with the URL that the client asked for. Its body has not been read. */
  readonly request: IncomingMessage
  /** The plugin whose own address the request came to, or {@link ADMINISTRATION}; left out for the addresses of the server. */
  readonly address?: string
} & ({ readonly response: ServerResponse } | { readonly socket: Duplex; readonly head: Buffer })

/** The work of a process for the others. */
export interface PeerService {
  /** Does an operation here, and only here. The process that asks has checked that the client may do it. */
  answer(call: PeerCall, signal: AbortSignal): Promise<PeerAnswer>
  /** Answers a request that another process has handed on. */
  take(exchange: Exchange): void
  /** Returns true when a route of this process has a path. */
  hasRoute(url: string): boolean
}
