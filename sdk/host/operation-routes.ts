import type { FastifyInstance } from 'fastify'
import type { Access, OperationRegistry } from '../plugin/operations.ts'
import type { AnyEvents, AnyOperation, AnySocket } from './any-operation.ts'
import { checkEvents, checkOperation } from './check-operation.ts'
import type { JsonSchema } from './json-schema.ts'
import { eventsQuerySchema, serveEvents } from './serve-events.ts'
import { accessOf, querySchemaOf, serveOperation, type OperationPeers } from './serve-operation.ts'
import { socketAccessOf, type SocketTable } from './socket-table.ts'
import { matchPath, partsOf, socketSpelling, spellingsOf, type PathPart, type Spelling } from './spelling.ts'

/** The parts that answer the operations of some paths. */
export type OperationTarget = { readonly fastify: FastifyInstance; readonly sockets: SocketTable }

/** An operation as it can be asked for, its own spelling first. */
export type OperationEntry = {
  readonly operation: AnyOperation
  readonly access: Access
  /** The parameters of its query, those of paging included. */
  readonly query: JsonSchema
  readonly spellings: readonly Spelling[]
}

/** Server-sent events as they can be asked for, their own spelling first. */
export type EventsEntry = {
  readonly operation: AnyEvents
  readonly access: Access
  /** The parameters of the query, the interval included. */
  readonly query: JsonSchema
  readonly spellings: readonly Spelling[]
}

/** A WebSocket as it can be asked for. */
export type SocketEntry = {
  readonly operation: AnySocket
  readonly access: Access
  readonly spelling: Spelling
}

export type OperationRoutesOptions = {
  /**
   * Returns the target that answers a spelling.
   * @throws {Error} when the path belongs to another owner
   */
  targetOf(spelling: Spelling): OperationTarget
  /** The other processes of the server; none unless given. */
  readonly peers?: OperationPeers
}

/** Operations, as routes of a host. */
export class OperationRoutes implements OperationRegistry {
  readonly #options: OperationRoutesOptions
  readonly #entries: OperationEntry[] = []
  readonly #eventsEntries: EventsEntry[] = []
  readonly #socketEntries: SocketEntry[] = []
  readonly #absolutePaths: (readonly PathPart[])[] = []

  constructor(options: OperationRoutesOptions) {
    this.#options = options
  }

  get entries(): readonly OperationEntry[] {
    return this.#entries
  }

  get eventsEntries(): readonly EventsEntry[] {
    return this.#eventsEntries
  }

  get socketEntries(): readonly SocketEntry[] {
    return this.#socketEntries
  }

  /**
   * Returns true when the request's path matches the absolute path of an operation, which may lie below a mount. Other paths
   * below the mounts belong to no such operation.
   * @param url path and query
   */
  hasAbsolute(url: string): boolean {
    if (this.#absolutePaths.length === 0) return false
    const [path = ''] = url.split('?', 1)
    return this.#absolutePaths.some((parts) => matchPath(parts, path) !== undefined)
  }

  add(operation: AnyOperation): void {
    checkOperation(operation)
    const spellings = spellingsOf(operation)
    for (const spelling of spellings) {
      serveOperation(this.#targetOf(spelling, operation).fastify, operation, spelling, this.#options.peers)
    }
    this.#entries.push({ operation, access: accessOf(operation), query: querySchemaOf(operation), spellings })
  }

  events(operation: AnyEvents): void {
    checkEvents(operation)
    const spellings = spellingsOf({ ...operation, method: 'GET' })
    for (const spelling of spellings) serveEvents(this.#targetOf(spelling, operation).fastify, operation, spelling)
    const { access = 'user' } = operation
    this.#eventsEntries.push({ operation, access, query: eventsQuerySchema(operation), spellings })
  }

  socket(operation: AnySocket): void {
    const spelling = socketSpelling(operation)
    this.#targetOf(spelling, operation).sockets.add(operation, spelling)
    this.#socketEntries.push({ operation, access: socketAccessOf(operation), spelling })
  }

  #targetOf(spelling: Spelling, { params }: Pick<AnyOperation, 'params'>): OperationTarget {
    const target = this.#options.targetOf(spelling)
    if (spelling.isAbsolute) this.#absolutePaths.push(partsOf(spelling.path, params))
    return target
  }
}
