import type { OperationRoutes } from 'sluice/sdk/host'
import type { Route } from './route-table.ts'

/** Operations, and the prefixes below which those of them are that have no absolute path. */
export type OperationsOfOwner = {
  /** Undefined for the server's own. */
  readonly plugin?: string
  readonly mounts: readonly string[]
  readonly operations: Pick<OperationRoutes, 'entries' | 'eventsEntries' | 'socketEntries'>
}

/** All that an owner has, the routes of its operations among them; those of a plugin are as below its mounts. */
export type RoutesOfOwner = OperationsOfOwner & { readonly routes: Iterable<Route> }
