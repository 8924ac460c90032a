import type { TObject, TSchema } from 'typebox'
import type { EventsOperation, Operation, SocketOperation } from '../plugin/operations.ts'

/** An operation, whatever its schemas are. */
export type AnyOperation = Operation<TObject, TObject, TSchema, TSchema>
export type AnySocket = SocketOperation<TObject, TObject>
export type AnyEvents = EventsOperation<TObject, TObject, TSchema>
