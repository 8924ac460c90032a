import type { PluginContext } from 'sluice/sdk'
import type { Cuttings, HlsFormat } from './config.ts'
import { Feed, type LivePresentation, type Wanted } from './feed.ts'
import type { Numbers } from './presentation/numbers.ts'
import type { PresentationOptions } from './presentation/presentation.ts'

export type FeedsInit = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'subscribe'>
  readonly log: PluginContext<unknown>['log']
  readonly cuttings: Cuttings
  readonly createPresentation: (options: Omit<PresentationOptions, 'nowMs'>) => LivePresentation
  /** A clock that does not jump. */
  readonly nowMs: () => number
  /** How a playlist of a stream goes on in the generation before; undefined when it has none. */
  readonly formerNumbers: (wanted: Wanted) => Numbers | undefined
  /** What generations hand on to each other. */
  readonly numbers: NumberMemory
}

/** How playlists would go on whose presentation is gone, by stream, format and selection; latest last. */
export type NumberMemory = Map<string, Numbers>

/** Of so many streams that are gone it is known how their playlists would go on. */
const MAX_NUMBERS = 1000

/** All presentations: one for each stream, format and selection, made when wanted, freed when nobody did for a while. */
export class Feeds {
  readonly #init: FeedsInit
  /** Those that have media to come, by {@link keyOf}. */
  readonly #running = new Map<string, Feed>()
  readonly #byId = new Map<string, Feed>()
  /** Those that are made whether or not somebody watches. */
  readonly #kept = new Set<Feed>()

  constructor(init: FeedsInit) {
    this.#init = init
  }

  get numbers(): NumberMemory {
    return this.#init.numbers
  }

  /** All that hold media. */
  get all(): Iterable<Feed> {
    return this.#byId.values()
  }

  /** The stream in a format; who gets it holds it at once. */
  get(wanted: Wanted): Feed {
    const key = keyOf(wanted)
    const known = this.#running.get(key)
    if (known !== undefined && !known.ended) return known
    const feed = this.#create(wanted)
    this.#running.set(key, feed)
    this.#byId.set(feed.presentation.id, feed)
    void feed.run()
    return feed
  }

  /** Whose file this is, by the file's name. */
  ofFile(name: string): Feed | undefined {
    return this.#byId.get(name.slice(0, Math.max(0, name.indexOf('-'))))
  }

  /** How playlists of a stream go on in whatever takes the place of its presentation; undefined when there was none. */
  nextNumbers(wanted: Wanted): Numbers | undefined {
    const key = keyOf(wanted)
    const running = this.#running.get(key)?.presentation.nextNumbers
    return running ?? later(this.#init.formerNumbers(wanted), this.numbers.get(key))
  }

  /** Makes the stream's segments from now until it ends, even if nobody watches. */
  keep(streamPath: string, format: HlsFormat): void {
    const feed = this.get({ streamPath, format })
    if (this.#kept.has(feed)) return
    this.#kept.add(feed)
    feed.hold(streamPath)
  }

  /** Lets go of those that are made whether or not somebody watches. */
  letGo(): void {
    for (const feed of this.#kept) feed.release(feed.streamPath)
    this.#kept.clear()
  }

  /** What falls due by itself: frees what nobody has held for `idleMs`, and streams that ended a while ago. */
  tick(nowMs: number, idleMs: number): void {
    for (const feed of this.#byId.values()) {
      feed.tick(nowMs)
      if (feed.ended) this.#letEnd(feed)
      const idle = feed.idleSinceMs !== undefined && nowMs - feed.idleSinceMs >= idleMs
      const over = feed.endedMs !== undefined && nowMs - feed.endedMs >= feed.windowSeconds * 1000
      if (idle || over) this.#free(feed)
    }
  }

  dispose(): void {
    for (const feed of [...this.#byId.values()]) this.#free(feed)
  }

  #create(wanted: Wanted): Feed {
    const { streamPath, format } = wanted
    const { streams, cuttings, createPresentation, nowMs } = this.#init
    const log = this.#init.log.child({ stream: streamPath })
    const { fragmentMs, partMs, window } = cuttings.of(streamPath)
    const presentation = createPresentation({
      format: format === 'ts' ? 'ts' : 'fmp4',
      lowLatency: format === 'llhls',
      ...{ fragmentMs, partMs, window, log },
      numbers: this.nextNumbers(wanted),
    })
    return new Feed({ wanted, window, presentation, streams, log, nowMs })
  }

  #letEnd(feed: Feed): void {
    const key = keyOf(feed.wanted)
    if (this.#running.get(key) === feed) {
      this.#running.delete(key)
      this.#remember(key, feed.presentation.nextNumbers)
    }
    if (this.#kept.delete(feed)) feed.release(feed.streamPath)
  }

  #remember(key: string, numbers: Numbers): void {
    const remembered = later(numbers, this.numbers.get(key))
    this.numbers.delete(key)
    if (remembered !== undefined) this.numbers.set(key, remembered)
    for (const oldest of this.numbers.keys()) {
      if (this.numbers.size <= MAX_NUMBERS) break
      this.numbers.delete(oldest)
    }
  }

  #free(feed: Feed): void {
    feed.dispose()
    this.#letEnd(feed)
    this.#byId.delete(feed.presentation.id)
  }
}

// The stream may have gone on in two generations, in one of them further.
function later(one: Numbers | undefined, other: Numbers | undefined): Numbers | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.msn >= other.msn ? one : other
}

function keyOf({ streamPath, format, selection = '' }: Wanted): string {
  return `${format} ${streamPath}?${selection}`
}
