import type { Logger } from 'pino'
import type { HookOrder } from 'sluice/sdk'

/** One generation of a plugin that taps hooks; compared by identity. */
export type HookOwner = {
  readonly plugin: string
  readonly log: Logger
}

/** One plugin's function on a hook. */
export type Tap = {
  readonly owner: HookOwner
  readonly order: HookOrder
  /** Calls the function, with its errors attributed to its plugin. */
  readonly call: (...args: readonly unknown[]) => unknown
}

/** The options of a tap for tapable. */
export type TapPlace = { readonly name: string; readonly stage: number; readonly before?: string }

/** Adds a tap to a hook of tapable. */
type AddTap<Hook> = (hook: Hook, place: TapPlace, tap: Tap) => void

/** The taps of one hook, and the tapable hook that is made of them. */
export class TapList<Hook> {
  readonly #create: () => Hook
  readonly #addTo: AddTap<Hook>
  #taps: readonly Tap[] = []
  /** The tapable hook; undefined when the taps have changed since it was made. */
  #hook: Hook | undefined

  constructor(create: () => Hook, addTo: AddTap<Hook>) {
    this.#create = create
    this.#addTo = addTo
  }

  get isEmpty(): boolean {
    return this.#taps.length === 0
  }

  /**
   * The tapable hook of the present taps. tapable has no untap, so it is made again after a change; a call under way goes on
   * with its old taps.
   */
  get hook(): Hook {
    return (this.#hook ??= this.#make())
  }

  /** Adds a tap, and returns the function that removes it. */
  add(tap: Tap): () => void {
    this.#set([...this.#taps, tap])
    return () => this.keep((other) => other !== tap)
  }

  keep(wanted: (tap: Tap) => boolean): void {
    const taps = this.#taps.filter(wanted)
    if (taps.length < this.#taps.length) this.#set(taps)
  }

  #set(taps: readonly Tap[]): void {
    this.#taps = taps
    this.#hook = undefined
  }

  #make(): Hook {
    const hook = this.#create()
    for (const [tap, place] of placesOf(this.#taps)) this.#addTo(hook, place, tap)
    return hook
  }
}

/**
 * The taps with their options for tapable, in the order to add them. tapable puts a tap with `before` in front of the last
 * tap of that name, and to the very front when there is none: so these taps come last, and only the first tap of each plugin
 * has its name.
 */
function placesOf(taps: readonly Tap[]): (readonly [Tap, TapPlace])[] {
  const byStage = taps.toSorted((one, other) => (one.order.stage ?? 0) - (other.order.stage ?? 0))
  const firsts = new Map(byStage.toReversed().map((tap) => [tap.owner.plugin, tap]))
  const hasBefore = ({ order }: Tap) => order.before !== undefined && firsts.has(order.before)
  const placed = [...byStage.filter((tap) => !hasBefore(tap)), ...byStage.filter(hasBefore)]
  return placed.map((tap) => {
    const { plugin } = tap.owner
    const { stage = 0, before } = tap.order
    const place = { name: firsts.get(plugin) === tap ? plugin : `another of ${plugin}`, stage }
    return [tap, before !== undefined && hasBefore(tap) ? { ...place, before } : place]
  })
}
