import type { PluginContext } from 'sluice/sdk'
import type { SegmentRules, HlsFormat } from './config.ts'
import { HlsStream, type LivePresentation, type HlsStreamKey } from './hls-stream.ts'
import type { SequenceNumbers } from './presentation/sequence-numbers.ts'
import type { PresentationOptions } from './presentation/presentation.ts'
import { layoutNamed } from './presentation/track-plan.ts'

export type HlsStreamsOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'subscribe' | 'move' | 'get'>
  readonly log: PluginContext<unknown>['log']
  readonly segmentRules: SegmentRules
  readonly createPresentation: (options: Omit<PresentationOptions, 'id' | 'nowMs'>) => LivePresentation
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number
  /** The numbers that all generations share. */
  readonly numbers: NumberMemory
}

/** The numbers with which playlists continue in a next presentation, by stream, format and selection; latest last. */
export type NumberMemory = Map<string, SequenceNumbers>

/** The most playlists for which numbers are remembered. */
const MAX_NUMBERS = 1000
/** The presentation's id, in the name of one of its files. */
const ID = /^(.+)-[^-]+-[^-]+$/u

/** All presentations: one for each stream, format and selection, created on demand, and freed a while after their last use. */
export class HlsStreams {
  readonly #options: HlsStreamsOptions
  /** The streams that still get media, by {@link idOf}. */
  readonly #running = new Map<string, HlsStream>()
  readonly #byId = new Map<string, HlsStream>()
  /** The streams that are made even without viewers. */
  readonly #kept = new Set<HlsStream>()

  constructor(options: HlsStreamsOptions) {
    this.#options = options
  }

  /** All streams that hold media. */
  get all(): Iterable<HlsStream> {
    return this.#byId.values()
  }

  /** Returns the stream in a format, and holds it for the caller. */
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

  /**
   * A path's own stream, in the format and selection of another; undefined when the path has no publisher.
   * @param renditions see `HlsStreamKey`
   */
  showing(
    sourcePath: string,
    { format, selection = '' }: HlsStreamKey,
    renditions: readonly string[] = [],
  ): HlsStream | undefined {
    if (this.#options.streams.get(sourcePath) === undefined) return undefined
    const key = { streamPath: sourcePath, format, selection, renditions }
    const usual = this.get(key)
    return usual.sourcePath === sourcePath ? usual : this.get({ ...key, exact: true })
  }

  /** Finds the stream that a file belongs to, by the file's name. */
  ofFile(name: string): HlsStream | undefined {
    return this.#byId.get(ID.exec(name)?.[1] ?? '')
  }

  /** Makes the stream's segments from now until it ends, even without viewers. */
  keep(streamPath: string, format: HlsFormat): void {
    const hlsStream = this.get({ streamPath, format })
    if (this.#kept.has(hlsStream)) return
    this.#kept.add(hlsStream)
    hlsStream.hold(streamPath)
  }

  /** Releases the streams that are made even without viewers. */
  letGo(): void {
    for (const hlsStream of this.#kept) hlsStream.release(hlsStream.streamPath)
    this.#kept.clear()
  }

  /** Does the work that is due by time: frees streams that nothing has held for `idleMs`, and streams that ended a while ago. */
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
    for (const hlsStream of this.#byId.values().toArray()) this.#free(hlsStream)
  }

  #create(key: HlsStreamKey): HlsStream {
    const { streamPath, format, renditions = [] } = key
    const { streams, segmentRules, createPresentation, nowMs, numbers } = this.#options
    const id = idOf(key)
    const log = this.#options.log.child({ stream: streamPath })
    const { fragmentMs, partMs, window } = segmentRules.of(streamPath)
    const presentation = createPresentation({
      format: format === 'ts' ? 'ts' : 'fmp4',
      lowLatency: format === 'llhls',
      fragmentMs,
      partMs,
      window,
      log,
      numbers: numbers.get(id),
      layout: renditions.length > 0 ? layoutNamed(renditions) : undefined,
    })
    const onChange = () => this.#remember(id, presentation.nextNumbers)
    return new HlsStream({ key, window, presentation, streams, log, onChange, nowMs })
  }

  #letEnd(hlsStream: HlsStream): void {
    const id = idOf(hlsStream.key)
    if (this.#running.get(id) === hlsStream) this.#running.delete(id)
    if (this.#kept.delete(hlsStream)) hlsStream.release(hlsStream.streamPath)
  }

  // The stream may go on in two generations, and further in one of them.
  #remember(id: string, next: SequenceNumbers): void {
    const { numbers } = this.#options
    const known = numbers.get(id)
    numbers.delete(id)
    numbers.set(id, known !== undefined && known.msn > next.msn ? known : next)
    for (const oldest of numbers.keys()) {
      if (numbers.size <= MAX_NUMBERS) break
      numbers.delete(oldest)
    }
  }

  #free(hlsStream: HlsStream): void {
    hlsStream.dispose()
    this.#letEnd(hlsStream)
    this.#byId.delete(hlsStream.presentation.id)
  }
}

function idOf({ streamPath, format, selection = '', renditions = [], exact = false }: HlsStreamKey): string {
  return `${format} ${streamPath}?${selection} ${renditions.join()}${exact ? ' exact' : ''}`
}
