import type { Logger } from 'pino'
import type { MergeWindow } from './fan-out/merge-window.ts'
import type { StreamHooks } from './stream-hooks.ts'
import { StreamIndex } from './stream-index.ts'
import { Stream } from './stream.ts'

/** The hooks of unlisted streams, which do nothing. */
const NO_HOOKS: StreamHooks = { notify() {}, notifyEnded() {}, resolve: () => Promise.resolve(false) }

type StreamTableOptions = {
  readonly log: Logger
  readonly hooks: StreamHooks
  readonly mergeWindow: MergeWindow
  readonly index: StreamIndex<Stream>
  /** The id of the node of all streams in the task tree. */
  readonly nodeId: number
}

/** The streams of this process: those with a path, and unlisted ones. */
export class StreamTable {
  readonly #options: StreamTableOptions
  readonly #streams = new Map<string, Stream>()
  readonly #unlisted = new Set<Stream>()

  constructor(options: StreamTableOptions) {
    this.#options = options
  }

  /** The number of paths that have a publisher, wait for one to come back, or have subscribers that wait. */
  get pathCount(): number {
    return this.#streams.size
  }

  /** All streams, with or without a publisher, including unlisted ones. */
  all(): Stream[] {
    return [...this.#streams.values(), ...this.#unlisted]
  }

  /** The stream of a path, with or without a publisher; undefined when it has no subscriber either. */
  get(path: string): Stream | undefined {
    return this.#streams.get(path)
  }

  /** The stream of a path, made at the first call; it is gone with its publisher and its last subscriber. */
  at(path: string): Stream {
    const known = this.#streams.get(path)
    if (known !== undefined) return known
    const { hooks, index } = this.#options
    const stream = this.#newStream(path, { hooks, index }, () => {
      if (this.#streams.get(path) === stream) this.#streams.delete(path)
    })
    this.#streams.set(path, stream)
    return stream
  }

  /** Creates a stream without a path. */
  unlisted(): Stream {
    const nowhere = { hooks: NO_HOOKS, index: new StreamIndex<Stream>() }
    const stream = this.#newStream('', nowhere, () => this.#unlisted.delete(stream))
    this.#unlisted.add(stream)
    return stream
  }

  #newStream(path: string, listed: Pick<StreamTableOptions, 'hooks' | 'index'>, onEmpty: () => void): Stream {
    const { log, mergeWindow, nodeId } = this.#options
    return new Stream(path, { log: log.child({ stream: path }), ...listed, mergeWindow, nodeId, onEmpty })
  }
}
