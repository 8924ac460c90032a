import type { StreamSubscriber } from './stream-subscriber.ts'

/** The longest wait for admitted subscribers: some take no media themselves, such as the viewers of segments. */
const TAKE_WAIT_MS = 1000
/** The number of turns of the event loop after which a muxer has taken in the sinks that were attached to it. */
const TURNS = 2

/** The subscribers of one stream that do not take media yet: they wait for tracks, or are about to attach. */
export class Entrants {
  readonly #entering = new Map<StreamSubscriber, PromiseWithResolvers<void>>()

  add(subscriber: StreamSubscriber): void {
    if (!this.#entering.has(subscriber)) this.#entering.set(subscriber, Promise.withResolvers())
  }

  /** Notes that the subscriber was attached. */
  attached(subscriber: StreamSubscriber): void {
    if (this.#entering.has(subscriber)) afterTurns(TURNS, () => this.delete(subscriber))
  }

  /** Removes a subscriber that takes media, or has ended. */
  delete(subscriber: StreamSubscriber): void {
    this.#entering.get(subscriber)?.resolve()
    this.#entering.delete(subscriber)
  }

  /** Resolves when the chosen subscribers take media, or after {@link TAKE_WAIT_MS}; undefined when they all do. */
  whenTaken(isChosen: (subscriber: StreamSubscriber) => boolean): Promise<void> | undefined {
    const chosen = [...this.#entering].filter(([subscriber]) => isChosen(subscriber))
    return chosen.length === 0 ? undefined : withinTime(chosen.map(([, { promise }]) => promise))
  }
}

async function withinTime(taking: readonly Promise<void>[]): Promise<void> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<void>()
  const timer = setTimeout(expire, TAKE_WAIT_MS).unref()
  await Promise.race([Promise.all(taking), expired])
  clearTimeout(timer)
}

function afterTurns(turns: number, act: () => void): void {
  if (turns === 0) act()
  else setImmediate(afterTurns, turns - 1, act)
}
