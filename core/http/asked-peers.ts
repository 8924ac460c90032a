import type { Logger } from 'pino'
import { SluiceError, StreamUnavailable } from 'sluice/sdk'
import {
  joinAnswers,
  type AnswerPart,
  type AnyOperation,
  type HandledInput,
  type OperationPeers,
} from 'sluice/sdk/host'
import { unlessAborted } from '../base/deadline.ts'
import { processOf } from '../base/process-ids.ts'
import { PeerAway } from '../peers/peer-away.ts'
import { SERVER_WORK, type PeerError, type Peers } from '../peers/peers.ts'
import { callOf } from './peer-call.ts'

/** The longest waits for answers of other processes. */
export type PeerPatience = {
  /** The time for the parts of an answer of all: a list must not wait for a process that hangs. */
  readonly allMs: number
  /** The time for an answer of one process, which may have to ask cameras and other servers. */
  readonly oneMs: number
}

const PATIENCE: PeerPatience = { allMs: 3000, oneMs: 30_000 }
const NOT_FOUND = 404

export type OperationPeersOptions = {
  readonly log: Logger
  readonly peers: Peers
  /** The plugin of these operations; left out for the server's own. */
  readonly plugin?: string
  readonly patience?: PeerPatience
}

/**
 * Asks other processes for the parts of an answer that the reach of an operation demands.
 *
 * A process that does not answer in time is left out of an answer of all that only reads, as most of a list is more use than
 * none. A change that is for all then fails with 503, as it may not have been made everywhere; so does an operation that one
 * process alone can answer.
 */
export class AskedPeers implements OperationPeers {
  readonly #options: OperationPeersOptions
  readonly #patience: PeerPatience

  constructor(options: OperationPeersOptions) {
    this.#options = options
    this.#patience = options.patience ?? PATIENCE
  }

  get hasOthers(): boolean {
    return this.#options.peers.others.length > 0
  }

  async answer(operation: AnyOperation, input: HandledInput, own: () => Promise<unknown>): Promise<unknown> {
    const { reach = 'here' } = operation
    if (reach === 'here') return own()
    if (reach === 'all' || (typeof reach === 'object' && 'all' in reach)) return this.#ofAll(operation, input, own)
    const owner = await this.#ownerFor(reach, input)
    // When no process has it, this one can answer that as well as any other.
    if (owner === undefined || owner === this.#options.peers.node.process) return own()
    const part = await this.#ask(owner, operation, input, this.#patience.oneMs)
    return 'value' in part ? part.value : joinAnswers(operation, [], [part])
  }

  async #ofAll(operation: AnyOperation, input: HandledInput, own: () => Promise<unknown>): Promise<unknown> {
    // The others are asked first, as the operation may end this process.
    const asked = this.#options.peers.others.map((other) => this.#ask(other, operation, input, this.#patience.allMs))
    const [[mine], theirs] = await Promise.all([Promise.allSettled([own()]), Promise.allSettled(asked)])
    const refusals = [mine, ...theirs].flatMap((result) =>
      result.status === 'rejected' ? [asError(result.reason)] : [],
    )
    const parts = theirs.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    if (operation.method === 'GET') {
      const failures = refusals.filter((error) => !isNotFound(error))
      const isMissed = mine.status === 'rejected' && (parts.length === 0 || !isNotFound(mine.reason))
      if (isMissed) throw failures[0] ?? asError(mine.reason)
      for (const { message } of failures)
        this.#options.log.warn({ reason: message }, 'a part of an answer was left out')
    } else {
      const [refusal] = refusals
      if (refusal !== undefined) throw refusal
    }
    return joinAnswers(operation, mine.status === 'fulfilled' ? [mine.value] : [], parts)
  }

  /**
   * Finds the process that is to answer alone; undefined where none has the stream or session.
   * @throws {StreamUnavailable} when no process holds the claim at present
   */
  async #ownerFor(
    reach: 'one' | { readonly stream: string } | { readonly session: string },
    input: HandledInput,
  ): Promise<number | undefined> {
    const { peers, plugin = SERVER_WORK } = this.#options
    const { node, others } = peers
    if (reach === 'one') {
      const owner = (await peers.owner({ one: plugin })) ?? (await peers.owner({ one: SERVER_WORK }))
      if (owner === undefined) throw new StreamUnavailable('no process of the server does this now; try again')
      return owner
    }
    if ('session' in reach) {
      const process = processOf(Number(fieldOf(input, reach.session)))
      return process === node.process || others.includes(process) ? process : undefined
    }
    const streamPath = fieldOf(input, reach.stream)
    return typeof streamPath === 'string' ? peers.owner({ stream: streamPath }) : undefined
  }

  /** @throws {PeerAway} when the process can't be reached, or takes too long; {@link SluiceError} the error of its handler */
  async #ask(process: number, operation: AnyOperation, input: HandledInput, patienceMs: number): Promise<AnswerPart> {
    const signal = AbortSignal.any([input.signal, AbortSignal.timeout(patienceMs)])
    const call = callOf(this.#options.plugin, operation, input)
    const answer = await unlessAborted(this.#options.peers.ask(process, call, signal), signal).catch(
      (cause: unknown) => {
        throw cause instanceof PeerAway ? cause : new PeerAway(process, { cause })
      },
    )
    if ('error' in answer) throw thrownElsewhere(answer.error)
    return answer
  }
}

function thrownElsewhere({ code, statusCode, message, headers }: PeerError): SluiceError {
  return Object.assign(new SluiceError(code, statusCode, message), { headers })
}

function fieldOf({ params, query, body }: HandledInput, name: string): unknown {
  const places: readonly unknown[] = [params, query, body]
  const place = places.find((fields) => typeof fields === 'object' && fields !== null && name in fields)
  return place === undefined ? undefined : Reflect.get(place as object, name)
}

function isNotFound(error: unknown): boolean {
  return error instanceof SluiceError && error.statusCode === NOT_FOUND
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
