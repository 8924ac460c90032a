import type { SessionAction } from 'sluice/sdk'

/** The sessions that a gate is for. */
type GateFilter = { readonly actions: readonly SessionAction[]; readonly protocols: readonly string[] }

export function covers({ actions, protocols }: GateFilter, action: SessionAction, protocol: string): boolean {
  // An empty list covers all: it must not open a gate.
  return (actions.length === 0 || actions.includes(action)) && (protocols.length === 0 || protocols.includes(protocol))
}
