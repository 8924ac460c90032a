/** A plugin in the start order. */
export type StartNode = {
  readonly name: string
  /** The names of the required plugins or services. */
  readonly requires: readonly string[]
  readonly provides: readonly string[]
  /** Running, about to start, not running after a failure, or switched off, by itself or with a plugin that it requires. */
  readonly state: 'up' | 'pending' | 'down' | 'off'
}

/**
 * The decision about a plugin that waits; `refuse` until something changes, as a required plugin has failed or is switched
 * off.
 */
export type Verdict =
  | { readonly kind: 'start' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'refuse'; readonly reason: string; readonly as: 'down' | 'off' }

/**
 * Decides for each plugin that waits whether it can start beside the others.
 * @param complete false while there are plugins whose services are not known yet
 * @returns the verdicts in the order of `waiting`
 */
export function planStart(waiting: readonly StartNode[], others: readonly StartNode[], complete: boolean): Verdict[] {
  const refusals = new Map<StartNode, Refusal>()
  for (;;) {
    const left = waiting.filter((node) => !refusals.has(node))
    const refused = [...refusals].map(([node, { as }]) => ({ ...node, state: as }))
    const verdicts = new Map(left.map((node) => [node, judge(node, [...others, ...refused, ...left], complete)]))
    const before = refusals.size
    for (const [node, verdict] of verdicts) if (verdict.kind === 'refuse') refusals.set(node, verdict)
    if (refusals.size === before) return waiting.map((node) => refusals.get(node) ?? verdicts.get(node) ?? WAIT)
  }
}

type Refusal = Extract<Verdict, { kind: 'refuse' }>

const WAIT: Verdict = { kind: 'wait' }

function judge(node: StartNode, nodes: readonly StartNode[], complete: boolean): Verdict {
  const unmet = unmetNeeds(node, nodes)
  if (unmet.length === 0) return { kind: 'start' }
  const off = unmet.find((need) => isOff(need, nodes))
  // A plugin counts as switched off when a required one is, in any state of the others.
  if (off !== undefined) return { kind: 'refuse', reason: switchedOff(off, nodes), as: 'off' }
  for (const need of unmet) {
    const offering = nodes.filter((other) => offers(other, need))
    if (offering.some(({ state }) => state === 'pending')) continue
    const down = offering.find(({ state }) => state === 'down')
    if (down !== undefined) return { kind: 'refuse', reason: notRunning(need, down), as: 'down' }
    if (complete) return { kind: 'refuse', reason: missing(need), as: 'down' }
  }
  const cycle = findCycle(node, nodes)
  return cycle === undefined ? WAIT : { kind: 'refuse', reason: `requires itself: ${cycle.join(' → ')}`, as: 'down' }
}

/** The reason why a plugin could not run beside the present others; undefined when it could. */
export function unmetReason(node: StartNode, nodes: readonly StartNode[]): string | undefined {
  const [need] = unmetNeeds(node, nodes)
  if (need === undefined) return undefined
  if (isOff(need, nodes)) return switchedOff(need, nodes)
  const offering = nodes.find((other) => offers(other, need))
  return offering === undefined ? missing(need) : notRunning(need, offering)
}

function unmetNeeds({ requires }: StartNode, nodes: readonly StartNode[]): string[] {
  return requires.filter((need) => !nodes.some((other) => other.state === 'up' && offers(other, need)))
}

function offers({ name, provides }: StartNode, need: string): boolean {
  return name === need || provides.includes(need)
}

/** True when all plugins that offer a service are switched off. */
function isOff(need: string, nodes: readonly StartNode[]): boolean {
  const offering = nodes.filter((other) => offers(other, need))
  return offering.length > 0 && offering.every(({ state }) => state === 'off')
}

function switchedOff(need: string, nodes: readonly StartNode[]): string {
  const { name = need } = nodes.find((other) => offers(other, need)) ?? {}
  return need === name
    ? `requires plugin '${name}', which is switched off`
    : `requires '${need}' of plugin '${name}', which is switched off`
}

function missing(need: string): string {
  return `requires '${need}', which no plugin offers`
}

function notRunning(need: string, { name }: StartNode): string {
  return need === name
    ? `requires plugin '${name}', which does not run`
    : `requires '${need}' of plugin '${name}', which does not run`
}

/** The names of a cycle from a plugin back to itself, of plugins that wait for each other. */
function findCycle(node: StartNode, nodes: readonly StartNode[]): string[] | undefined {
  const seen = new Set<StartNode>()
  const follow = (from: StartNode, trail: readonly string[]): string[] | undefined => {
    for (const need of unmetNeeds(from, nodes)) {
      for (const next of nodes.filter(({ state }) => state === 'pending').filter((other) => offers(other, need))) {
        if (next.name === node.name) return [...trail, next.name]
        if (seen.has(next)) continue
        seen.add(next)
        const cycle = follow(next, [...trail, next.name])
        if (cycle !== undefined) return cycle
      }
    }
    return undefined
  }
  return follow(node, [node.name])
}
