import type { PluginContext } from 'sluice/sdk'
import type { SegmentRules, HlsFormat } from './config.ts'
import { HlsStream, type LivePresentation, type HlsStreamKey } from './hls-stream.ts'
import type { SequenceNumbers } from './presentation/sequence-numbers.ts'
import type { PresentationOptions } from './presentation/presentation.ts'

export type HlsStreamsOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'subscribe'>
  readonly log: PluginContext<unknown>['log']
  readonly segmentRules: SegmentRules
  readonly createPresentation: (options: Omit<PresentationOptions, 'nowMs'>) => LivePresentation
  /** A clock that does not jump. */
  readonly nowMs: () => number
  /** Gives the numbers to go on with, of the generation before; undefined when it has none. */
  readonly formerNumbers: (key: HlsStreamKey) => SequenceNumbers | undefined
  /** The numbers that generations hand on to each other. */
  readonly numbers: NumberMemory
}

/** The numbers to go on with for playlists whose presentation is gone, by stream, format and selection; latest last. */
export type NumberMemory = Map<string, SequenceNumbers>

/** The numbers of so many streams that are gone are remembered. */
const MAX_NUMBERS = 1000

/** All presentations: one for each stream, format and selection, made when wanted, freed when nobody did for a while. */
export class HlsStreams {
  readonly #options: HlsStreamsOptions
  /** The streams that have media to come, by {@link idOf}. */
  readonly #running = new Map<string, HlsStream>()
  readonly #byId = new Map<string, HlsStream>()
  /** The streams that are made whether or not somebody watches. */
  readonly #kept = new Set<HlsStream>()

  constructor(options: HlsStreamsOptions) {
    this.#options = options
  }

  get numbers(): NumberMemory {
    return this.#options.numbers
  }

  /** All that hold media. */
  get all(): Iterable<HlsStream> {
    return this.#byId.values()
  }

  /** The stream in a format; who gets it holds it at once. */
  get(key: HlsStreamKey): HlsStream {
    const id = idOf(key)
    const known = this.#running.get(id)
    if (known !== undefined && !known.ended) return known
    const hlsStream = this.#create(key)
    this.#running.set(id, hlsStream)
    this.#byId.set(hlsStream.presentation.id, hlsStream)
    void hlsStream.run()
    return hlsStream
  }

  /** Finds the stream that a file belongs to, by the file's name. */
  ofFile(name: string): HlsStream | undefined {
    return this.#byId.get(name.slice(0, Math.max(0, name.indexOf('-'))))
  }

  /** Gives the numbers to go on with in what takes the place of a presentation; undefined when there was none. */
  nextNumbers(key: HlsStreamKey): SequenceNumbers | undefined {
    const id = idOf(key)
    const running = this.#running.get(id)?.presentation.nextNumbers
    return running ?? later(this.#options.formerNumbers(key), this.numbers.get(id))
  }

  /** Makes the stream's segments from now until it ends, even if nobody watches. */
  keep(streamPath: string, format: HlsFormat): void {
    const hlsStream = this.get({ streamPath, format })
    if (this.#kept.has(hlsStream)) return
    this.#kept.add(hlsStream)
    hlsStream.hold(streamPath)
  }

  /** Lets go of those that are made whether or not somebody watches. */
  letGo(): void {
    for (const hlsStream of this.#kept) hlsStream.release(hlsStream.streamPath)
    this.#kept.clear()
  }

  /** Does what falls due by itself: frees what nobody has held for `idleMs`, and streams that ended a while ago. */
  tick(nowMs: number, idleMs: number): void {
    for (const hlsStream of this.#byId.values()) {
      hlsStream.tick(nowMs)
      if (hlsStream.ended) this.#letEnd(hlsStream)
      const idle = hlsStream.idleSinceMs !== undefined && nowMs - hlsStream.idleSinceMs >= idleMs
      const over = hlsStream.endedMs !== undefined && nowMs - hlsStream.endedMs >= hlsStream.windowSeconds * 1000
      if (idle || over) this.#free(hlsStream)
    }
  }

  dispose(): void {
    for (const hlsStream of [...this.#byId.values()]) this.#free(hlsStream)
  }

  #create(key: HlsStreamKey): HlsStream {
    const { streamPath, format } = key
    const { streams, segmentRules, createPresentation, nowMs } = this.#options
    const log = this.#options.log.child({ stream: streamPath })
    const { fragmentMs, partMs, window } = segmentRules.of(streamPath)
    const presentation = createPresentation({
      format: format === 'ts' ? 'ts' : 'fmp4',
      lowLatency: format === 'llhls',
      ...{ fragmentMs, partMs, window, log },
      numbers: this.nextNumbers(key),
    })
    return new HlsStream({ key, window, presentation, streams, log, nowMs })
  }

  #letEnd(hlsStream: HlsStream): void {
    const id = idOf(hlsStream.key)
    if (this.#running.get(id) === hlsStream) {
      this.#running.delete(id)
      this.#remember(id, hlsStream.presentation.nextNumbers)
    }
    if (this.#kept.delete(hlsStream)) hlsStream.release(hlsStream.streamPath)
  }

  #remember(id: string, numbers: SequenceNumbers): void {
    const remembered = later(numbers, this.numbers.get(id))
    this.numbers.delete(id)
    if (remembered !== undefined) this.numbers.set(id, remembered)
    for (const oldest of this.numbers.keys()) {
      if (this.numbers.size <= MAX_NUMBERS) break
      this.numbers.delete(oldest)
    }
  }

  #free(hlsStream: HlsStream): void {
    hlsStream.dispose()
    this.#letEnd(hlsStream)
    this.#byId.delete(hlsStream.presentation.id)
  }
}

// The stream may have gone on in two generations, in one of them further.
function later(one: SequenceNumbers | undefined, other: SequenceNumbers | undefined): SequenceNumbers | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.msn >= other.msn ? one : other
}

function idOf({ streamPath, format, selection = '' }: HlsStreamKey): string {
  return `${format} ${streamPath}?${selection}`
}
