import type { Logger } from 'pino'
import type { MergeWindow } from './fan-out/merge-window.ts'
import type { StreamHooks } from './stream-hooks.ts'
import { Stream } from './stream.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** Those of streams that nobody hears of. */
const NO_HOOKS: StreamHooks = { notify() {}, resolve: () => Promise.resolve(false) }

type StreamTableOptions = { readonly log: Logger; readonly hooks: StreamHooks; readonly mergeWindow: MergeWindow }

/** The streams of this process: by path, and those that are published nowhere. */
export class StreamTable {
  readonly #options: StreamTableOptions
  readonly #streams = new Map<string, Stream>()
  readonly #unlisted = new Set<Stream>()

  constructor(options: StreamTableOptions) {
    this.#options = options
  }

  /** The number of paths that have a publisher, wait for one to come back, or are waited for. */
  get pathCount(): number {
    return this.#streams.size
  }

  /** All streams, with or without a publisher, those included that are published nowhere. */
  all(): Stream[] {
    return [...this.#streams.values(), ...this.#unlisted]
  }

  /** The streams that have a publisher. */
  published(): Stream[] {
    return [...this.#streams.values()].filter((stream) => stream.publisher !== undefined)
  }

  /** The stream of a path, whether it has a publisher or not; undefined when nobody has asked for it either. */
  get(path: string): Stream | undefined {
    return this.#streams.get(path)
  }

  /** The number of all subscribers, those included that wait. */
  get subscriberTotal(): number {
    let total = 0
    for (const stream of this.#streams.values()) total += stream.subscribers.size
    return total
  }

  /** The subscribers of one path, or of all, those included that wait. */
  subscribers(path?: string): StreamSubscriber[] {
    if (path !== undefined) return [...(this.#streams.get(path)?.subscribers ?? [])]
    return [...this.#streams.values()].flatMap((stream) => [...stream.subscribers])
  }

  /** The stream of a path, made for who asks first; it is gone with its publisher and its last subscriber. */
  at(path: string): Stream {
    const known = this.#streams.get(path)
    if (known !== undefined) return known
    const stream = this.#newStream(path, this.#options.hooks, () => {
      if (this.#streams.get(path) === stream) this.#streams.delete(path)
    })
    this.#streams.set(path, stream)
    return stream
  }

  /** A stream that is published nowhere. */
  unlisted(): Stream {
    const stream = this.#newStream('', NO_HOOKS, () => this.#unlisted.delete(stream))
    this.#unlisted.add(stream)
    return stream
  }

  #newStream(path: string, hooks: StreamHooks, onEmpty: () => void): Stream {
    const { log, mergeWindow } = this.#options
    return new Stream(path, { log: log.child({ stream: path }), hooks, mergeWindow, onEmpty })
  }
}
