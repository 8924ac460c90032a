import type { FastifyInstance } from 'fastify'
import type { Access, OperationRegistry } from '../plugin/operations.ts'
import type { AnyOperation, AnySocket } from './any-operation.ts'
import { checkOperation } from './check-operation.ts'
import type { JsonSchema } from './json-schema.ts'
import { accessOf, querySchemaOf, serveOperation } from './serve-operation.ts'
import { socketAccessOf, type SocketTable } from './socket-table.ts'
import { socketSpelling, spellingsOf, type Spelling } from './spelling.ts'

/** What answers the operations of some paths. */
export type OperationTarget = { readonly fastify: FastifyInstance; readonly sockets: SocketTable }

/** An operation as it can be asked for, its own spelling first. */
export type OperationEntry = {
  readonly operation: AnyOperation
  readonly access: Access
  /** The parameters of its query, those of paging included. */
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
   * Where a spelling is answered.
   * @throws {Error} when it is somebody else's
   */
  targetOf(spelling: Spelling): OperationTarget
}

/** Operations, as routes of a host. */
export class OperationRoutes implements OperationRegistry {
  readonly #options: OperationRoutesOptions
  readonly #entries: OperationEntry[] = []
  readonly #socketEntries: SocketEntry[] = []

  constructor(options: OperationRoutesOptions) {
    this.#options = options
  }

  get entries(): readonly OperationEntry[] {
    return this.#entries
  }

  get socketEntries(): readonly SocketEntry[] {
    return this.#socketEntries
  }

  add(operation: AnyOperation): void {
    checkOperation(operation)
    const spellings = spellingsOf(operation)
    for (const spelling of spellings) serveOperation(this.#options.targetOf(spelling).fastify, operation, spelling)
    this.#entries.push({ operation, access: accessOf(operation), query: querySchemaOf(operation), spellings })
  }

  socket(operation: AnySocket): void {
    const spelling = socketSpelling(operation)
    this.#options.targetOf(spelling).sockets.add(operation, spelling)
    this.#socketEntries.push({ operation, access: socketAccessOf(operation), spelling })
  }
}
