import type { AccessUnit, AudioTrack, PluginContext, Publisher, Subscriber, Track } from 'sluice/sdk'
import { canCarryInTs, mainTracks, rescale, TS_TIMESCALE } from 'sluice/sdk/media'
import type { AudioConfig } from './config.ts'
import { Encoder } from './encoder.ts'
import { targetTrack, type Target } from './target.ts'

/** ffmpeg is begun anew after this, and after twice as long each time that it does not last. */
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 15_000
/** One that has run so long has not failed to begin. */
const LASTING_MS = 10_000
/**
 * The first sound may be so far behind the pictures, when ffmpeg is slow to begin. A track that begins more than six seconds
 * behind the others is taken to have a clock of its own, and would be out of step for good.
 */
const MAX_LATE_MS = 5000

type Context = PluginContext<AudioConfig>

/** Who makes a stream of another, where it plays and where it publishes. */
type FittedStreamOptions = {
  readonly ctx: Context
  readonly target: Target
  readonly subscriber: Subscriber
  readonly publisher: Publisher
}

/** A stream with the pictures of another, and its sound in another codec, encoded by one ffmpeg at a time. */
export class FittedStream {
  readonly #options: FittedStreamOptions
  /** The tracks of the origin, by id, and what they are called here. */
  readonly #tracks = new Map<number, { readonly origin: Track; readonly own: Track }>()
  #source: AudioTrack | undefined
  #sound: AudioTrack
  #encoder: Encoder | undefined
  #isBeginning = false
  /** What is kept for late viewers is being handed over. */
  #isKept = true
  /** The latest time of what is passed on as it is, in milliseconds of the origin. */
  #newestMs = -Infinity
  /** The publisher knows how the sound's times relate to the others. */
  #hasSound = false
  #isClosed = false
  #cancelRetry: () => void = () => {}
  #failures = 0

  private constructor(options: FittedStreamOptions) {
    this.#options = options
    const { publisher, target } = options
    this.#sound = publisher.addTrack(targetTrack(target, TS_TIMESCALE)) as AudioTrack
  }

  /**
   * Begins to make the stream.
   * @throws {ProgramMissing}
   */
  static async begin(options: FittedStreamOptions): Promise<void> {
    const { publisher, subscriber } = options
    const stream = new FittedStream(options)
    for (const track of subscriber.tracks) stream.#track(track)
    publisher.tracksComplete()
    publisher.onClose(() => subscriber.close())
    subscriber.onClose(() => {
      publisher.close('its origin has ended')
      stream.#close()
    })
    await stream.#encode()
    stream.#read()
  }

  #read(): void {
    const { subscriber, publisher } = this.#options
    subscriber.read({
      data: true,
      track: (track) => this.#track(track),
      unit: (unit) => this.#unit(unit),
      trackRemoved: (track) => this.#trackRemoved(track),
      discontinuity: () => {
        publisher.discontinuity()
        this.#newestMs = -Infinity
        this.#hasSound = false
        this.#renewEncoder()
      },
      // Whoever watches goes back to the origin, and waits there.
      sourceEnded: () => subscriber.close('its origin has ended'),
    })
    this.#isKept = false
  }

  #track(track: Track): void {
    const { publisher } = this.#options
    if (track.kind === 'audio') return this.#listenTo(track)
    const known = this.#tracks.get(track.id)
    const own = known === undefined ? publisher.addTrack(track) : publisher.configureTrack(known.own, track.config)
    this.#tracks.set(track.id, { origin: track, own })
  }

  /** Of several tracks of sound it takes the main one. */
  #listenTo(track: AudioTrack): void {
    const main = mainTracks(this.#options.subscriber.tracks).find(({ kind }) => kind === 'audio')
    if (main !== undefined && main.id !== track.id) return
    if (this.#source === track) return
    const isFirst = this.#source === undefined && this.#encoder === undefined
    this.#source = canCarryInTs(track) ? track : undefined
    if (!isFirst) this.#renewEncoder()
  }

  #trackRemoved(track: Track): void {
    if (track.id === this.#source?.id) {
      this.#source = undefined
      return this.#renewEncoder()
    }
    const known = this.#tracks.get(track.id)
    this.#tracks.delete(track.id)
    if (known !== undefined) this.#options.publisher.removeTrack(known.own)
  }

  #unit(unit: AccessUnit): void {
    const { publisher } = this.#options
    if (unit.track === this.#source) {
      // Pictures that are kept are there at once, and sound of their time would come late, when it has been encoded.
      if (this.#isKept) return
      if (this.#encoder?.isSpent === true) this.#renewEncoder()
      // What comes while there is no ffmpeg is lost, too.
      if (this.#encoder?.encode(unit) !== true) publisher.lost(this.#sound, 1)
      return
    }
    const known = this.#tracks.get(unit.track.id)
    if (known === undefined) return
    this.#newestMs = Math.max(this.#newestMs, rescale(unit.dts, unit.track.timescale, 1000))
    publisher.write(unit.at(known.own, unit.dts, unit.pts))
  }

  #made(unit: AccessUnit): void {
    const { publisher } = this.#options
    const lateMs = this.#newestMs - rescale(unit.dts, TS_TIMESCALE, 1000)
    if (!this.#hasSound && lateMs > MAX_LATE_MS) return publisher.lost(this.#sound, 1)
    this.#hasSound = true
    publisher.write(unit.at(this.#sound, unit.dts, unit.pts))
  }

  /** Has another ffmpeg take over, or none where there is no sound. */
  #renewEncoder(): void {
    this.#encoder?.close()
    this.#encoder = undefined
    void this.#retry()
  }

  /** Begins ffmpeg, and tries again later where it can't be begun. */
  async #retry(): Promise<void> {
    this.#cancelRetry()
    try {
      await this.#encode()
    } catch (err) {
      const { ctx, publisher } = this.#options
      ctx.log.warn({ err, stream: publisher.streamPath }, 'the sound can not be encoded')
      this.#retryLater()
    }
  }

  /** Begins ffmpeg, unless it runs or is about to. */
  async #encode(): Promise<void> {
    const { ctx, target, publisher } = this.#options
    const source = this.#source
    if (this.#isClosed || this.#encoder !== undefined || this.#isBeginning || source === undefined) return
    this.#isBeginning = true
    const { bitrate: bitrateKbps, ffmpegpath: command } = ctx.config
    const startMs = performance.now()
    let encoder: Encoder
    try {
      encoder = await Encoder.begin({
        processes: ctx.processes,
        command,
        bitrateKbps,
        owner: publisher.streamPath,
        source,
        target,
        made: (unit) => this.#made(unit),
        configured: (config) => (this.#sound = publisher.configureTrack(this.#sound, config)),
      })
    } finally {
      this.#isBeginning = false
    }
    void encoder.done.then(() => this.#encoderEnded(encoder, startMs))
    if (!this.#isClosed && this.#source === source) this.#encoder = encoder
    else {
      encoder.close()
      await this.#encode()
    }
  }

  /** ffmpeg has ended; another takes over where that was not wanted. */
  #encoderEnded(encoder: Encoder, startMs: number): void {
    if (this.#encoder !== encoder) return
    this.#encoder = undefined
    this.#failures = performance.now() - startMs < LASTING_MS ? this.#failures + 1 : 1
    const { ctx, publisher } = this.#options
    ctx.log.warn(
      { stream: publisher.streamPath, failures: this.#failures },
      'ffmpeg has ended while it encoded the sound',
    )
    this.#retryLater()
  }

  #retryLater(): void {
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, this.#failures - 1))
    this.#cancelRetry = this.#options.ctx.setTimeout(() => this.#retry(), delayMs)
  }

  #close(): void {
    this.#isClosed = true
    this.#cancelRetry()
    this.#encoder?.close()
    this.#encoder = undefined
  }
}
