import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { Logger } from 'pino'
import { GopCache } from './gop-cache.ts'
import { isStart, selectsTrack, selectsUnit, type TrackSelection } from './track-selection.ts'
import type { Viewer } from './viewer.ts'

/** What a batch is made of: one unit's bytes, or a configuration's. */
type Output = {
  readonly bytes: Buffer
  readonly timeMs: number
  readonly sizeBytes: number
  readonly start: boolean
}

type SharedMuxerOptions = {
  readonly format: MuxerFormat
  readonly selection: TrackSelection
  /** How long output is gathered, in milliseconds; read at each turn. */
  readonly windowMs: () => number
  readonly source: () => MuxerStart
  readonly bufferMs: number
  readonly log: Logger
}

/**
 * One stream in one output format, for all its viewers: a unit is muxed once, what is muxed within one window leaves
 * as one write per viewer, and all get the same buffer. It keeps the newest group of pictures in output bytes, so that
 * viewers who join at once share one buffer, too.
 */
export class SharedMuxer {
  readonly #options: SharedMuxerOptions
  readonly #muxer: Muxer
  readonly #cache: GopCache<Output>
  readonly #viewers = new Set<Viewer>()
  readonly #announced = new Map<string, Track['config'] & { codec: string }>()
  #joining: Viewer[] = []
  #pending: Output[] = []
  #pendingBytes = 0
  #configVersion = 0
  #hasVideo = false
  #startBytes: Buffer | undefined
  #flushTimer: NodeJS.Timeout | undefined
  #flushScheduled = false
  #joinScheduled = false
  #closed = false

  constructor(options: SharedMuxerOptions) {
    this.#options = options
    this.#muxer = options.format.createMuxer()
    this.#cache = new GopCache(options.bufferMs)
    for (const track of options.source().tracks) this.#announce(track)
  }

  get viewers(): ReadonlySet<Viewer> {
    return this.#viewers
  }

  set bufferMs(bufferMs: number) {
    this.#cache.bufferMs = bufferMs
  }

  /** A track appeared or was configured anew. Its bytes are sent unless they are the ones sent before. */
  configure(track: Track, timeMs: number): void {
    if (!selectsTrack(this.#options.selection, track) || !this.#announce(track)) return
    this.#startBytes = undefined
    this.#configVersion++
    const bytes = this.#muxer.configure(track, timeMs)
    // What is cached was made for the old configuration; joiners wait for the keyframe that follows the new one.
    if (track.kind === 'video') this.#cache.clear()
    if (bytes !== null) this.#push({ bytes, timeMs, sizeBytes: bytes.length, start: false }, false)
  }

  /** The publisher's tracks ended. Its successor's are announced as far as they differ; viewers go on at a keyframe. */
  sourceEnded(): void {
    this.flush()
    this.#cache.clear()
    this.#hasVideo = false
    this.#startBytes = undefined
    for (const viewer of this.#viewers) if (viewer.state === 'live') viewer.state = 'skipping'
  }

  removeTrack(track: Track): void {
    this.#announced.delete(slot(track))
    this.#startBytes = undefined
  }

  metadataChanged(): void {
    this.#startBytes = undefined
  }

  write(unit: AccessUnit): void {
    const output = this.#output(unit)
    if (output !== undefined) this.#push(output, true)
  }

  #output(unit: AccessUnit): Output | undefined {
    if (!selectsUnit(this.#options.selection, unit)) return undefined
    const bytes = this.#muxer.mux(unit)
    if (bytes === null) return undefined
    const timeMs = rescale(unit.dts, unit.track.timescale, 1000)
    return { bytes, timeMs, sizeBytes: bytes.length, start: isStart(unit, this.#hasVideo) }
  }

  /** Fills the cache with what the stream kept before there was a viewer. */
  prime(units: Iterable<AccessUnit>): void {
    for (const unit of units) {
      const output = this.#output(unit)
      if (output !== undefined) this.#cacheOutput(output)
    }
  }

  attach(viewer: Viewer): void {
    this.#viewers.add(viewer)
    if (viewer.startBackMs === undefined) return
    viewer.state = 'joining'
    this.#joining.push(viewer)
    if (this.#joinScheduled) return
    this.#joinScheduled = true
    setImmediate(() => this.#join())
  }

  /** Returns whether it was the last one. */
  detach(viewer: Viewer): boolean {
    this.#viewers.delete(viewer)
    return this.#viewers.size === 0
  }

  checkStalls(nowMs: number): void {
    for (const viewer of this.#viewers) viewer.checkStall(nowMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#flushTimer)
    this.#cache.clear()
  }

  /** Sends what is pending to all viewers. */
  flush(): void {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    const outputs = this.#pending
    if (outputs.length === 0 || this.#closed) return
    this.#pending = []
    const sizeBytes = this.#pendingBytes
    this.#pendingBytes = 0
    for (const output of outputs) this.#cacheOutput(output)
    const timeMs = outputs.at(-1)?.timeMs ?? 0
    const parts = new BatchParts(outputs, sizeBytes, this.#muxer)
    for (const viewer of this.#viewers) {
      if (viewer.state === 'live') {
        if (!viewer.accepts(sizeBytes, timeMs, outputs.length)) continue
        viewer.write(parts.from(0), timeMs)
        viewer.configVersion = this.#configVersion
      } else if (viewer.state !== 'joining') {
        this.#resume(viewer, outputs, parts, timeMs)
      }
    }
  }

  // A viewer that starts or has skipped takes up at the batch's first start point, once its queue has drained.
  #resume(viewer: Viewer, outputs: readonly Output[], parts: BatchParts, timeMs: number): void {
    const index = !viewer.paused && viewer.sink.queuedBytes === 0 ? outputs.findIndex((output) => output.start) : -1
    if (index < 0) {
      if (viewer.state === 'skipping') viewer.dropped += outputs.length
      return
    }
    this.#sendConfig(viewer, timeMs)
    viewer.write(parts.from(index), timeMs)
    viewer.dropped += viewer.state === 'skipping' ? index : 0
    viewer.state = 'live'
  }

  #sendConfig(viewer: Viewer, timeMs: number): void {
    if (viewer.configVersion === this.#configVersion) return
    if (viewer.configVersion < 0) {
      viewer.write(this.#start(), timeMs)
    } else {
      for (const track of this.#options.source().tracks) {
        if (!selectsTrack(this.#options.selection, track)) continue
        const bytes = this.#muxer.configure(track, timeMs)
        if (bytes !== null) viewer.write(this.#frame(bytes), timeMs)
      }
    }
    viewer.configVersion = this.#configVersion
  }

  #join(): void {
    this.#joinScheduled = false
    const joining = this.#joining
    this.#joining = []
    const entries = this.#cache.entries
    const timeMs = entries.at(-1)?.timeMs ?? 0
    const shared = new BatchParts(entries, 0, this.#muxer)
    for (const viewer of joining) {
      viewer.state = 'starting'
      if (entries.length === 0 || !this.#viewers.has(viewer)) continue
      this.#sendConfig(viewer, timeMs)
      viewer.writeBurst(shared.from(this.#cache.startIndex(viewer.startBackMs ?? 0)), timeMs)
      viewer.state = 'live'
    }
  }

  #start(): Buffer {
    if (this.#startBytes === undefined) {
      const { tracks, metadata } = this.#options.source()
      const selected = tracks.filter((track) => selectsTrack(this.#options.selection, track))
      this.#startBytes = this.#frame(this.#muxer.start({ tracks: selected, metadata }))
    }
    return this.#startBytes
  }

  #frame(bytes: Buffer): Buffer {
    return this.#muxer.frame ? this.#muxer.frame(bytes) : bytes
  }

  // Returns whether the configuration differs from the one announced in the track's place.
  #announce(track: Track): boolean {
    if (!selectsTrack(this.#options.selection, track)) return false
    if (track.kind === 'video') this.#hasVideo = true
    const before = this.#announced.get(slot(track))
    this.#announced.set(slot(track), { ...track.config, codec: track.codec })
    return before === undefined || before.codec !== track.codec || !before.record.equals(track.config.record)
  }

  #push(output: Output, schedule: boolean): void {
    this.#pending.push(output)
    this.#pendingBytes += output.sizeBytes
    if (!schedule || this.#flushScheduled || this.#flushTimer !== undefined) return
    const windowMs = this.#options.windowMs()
    if (windowMs > 0) {
      this.#flushTimer = setTimeout(() => this.flush(), windowMs)
      return
    }
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      this.flush()
    })
  }

  #cacheOutput(output: Output): void {
    const overflowed = this.#cache.overflowed
    this.#cache.push(output)
    if (this.#cache.overflowed && !overflowed) {
      this.#options.log.warn(
        { format: this.#options.format.name },
        'no keyframe for too long: late joiners wait for the next one',
      )
    }
  }
}

function slot(track: Track): string {
  return `${track.kind}:${track.name ?? ''}`
}

/** The outputs of one batch as one buffer from a given output on; each made once, for all viewers that need it. */
class BatchParts {
  readonly #outputs: readonly Output[]
  readonly #muxer: Muxer
  readonly #made = new Map<number, Buffer>()
  readonly #sizeBytes: number

  constructor(outputs: readonly Output[], sizeBytes: number, muxer: Muxer) {
    this.#outputs = outputs
    this.#sizeBytes = sizeBytes
    this.#muxer = muxer
  }

  from(index: number): Buffer {
    const known = this.#made.get(index)
    if (known !== undefined) return known
    const buffers = this.#outputs.slice(index).map((output) => output.bytes)
    const joined =
      buffers.length === 1 && buffers[0] !== undefined
        ? buffers[0]
        : Buffer.concat(buffers, index === 0 && this.#sizeBytes > 0 ? this.#sizeBytes : undefined)
    const bytes = this.#muxer.frame ? this.#muxer.frame(joined) : joined
    this.#made.set(index, bytes)
    return bytes
  }
}
