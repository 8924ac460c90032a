import type { OperationRoutes } from 'sluice/sdk/host'
import type { Route } from './route-table.ts'

/** The operations of an owner, and the prefixes of those that have no absolute path. */
export type OperationsOfOwner = {
  /** The plugin; undefined for the server itself. */
  readonly plugin?: string
  readonly mounts: readonly string[]
  readonly operations: Pick<OperationRoutes, 'entries' | 'eventsEntries' | 'socketEntries'>
}

/** All routes of an owner, those of its operations included; the routes of a plugin are relative to its mounts. */
export type RoutesOfOwner = OperationsOfOwner & { readonly routes: Iterable<Route> }
