import {
  Supervisor,
  untilAborted,
  type AccessUnit,
  type AudioTrack,
  type PluginContext,
  type Publisher,
  type RunFailure,
  type Subscriber,
  type Track,
} from 'sluice/sdk'
import { mainTracks, PES_TIMESCALE, rescale } from 'sluice/sdk/media'
import type { AudioConfig } from './config.ts'
import { canEncode } from './encoder-input.ts'
import { Encoder } from './encoder.ts'
import { targetTrack, type Target } from './target.ts'

/**
 * The most that the first sound may be behind the pictures, when ffmpeg is slow to begin. A track that begins more than six seconds
 * behind the others is taken to have a clock of its own, and would be out of step for good.
 */
const MAX_LATE_MS = 5000

type Context = PluginContext<AudioConfig>

/** The subscriber of the origin, and the publisher of the stream that is made of it. */
type FittedStreamOptions = {
  readonly ctx: Context
  readonly target: Target
  readonly subscriber: Subscriber
  readonly publisher: Publisher
}

/** A stream with the pictures of another, and its sound in another codec, encoded by one ffmpeg at a time. */
export class FittedStream {
  readonly #options: FittedStreamOptions
  /** The tracks of the origin by their ids, each with the track that is published for it. */
  readonly #tracks = new Map<number, { readonly origin: Track; readonly own: Track }>()
  #source: AudioTrack | undefined
  #sound: AudioTrack
  /** Runs one ffmpeg at a time. */
  readonly #supervisor: Supervisor
  /** Settles when the first ffmpeg runs, or can't be begun. */
  readonly #first = Promise.withResolvers<void>()
  #hasBegun = false
  #encoder: Encoder | undefined
  /** True while the units come that the origin keeps for late viewers. */
  #isKept = true
  /** The latest time of a unit that was passed on unchanged, in milliseconds of the origin. */
  #newestMs = -Infinity
  /** True once sound was written: the publisher then knows how its times relate to those of the other tracks. */
  #hasSound = false

  private constructor(options: FittedStreamOptions) {
    this.#options = options
    const { ctx, publisher, target } = options
    this.#supervisor = new Supervisor(ctx, {
      run: (signal) => this.#encode(signal),
      isWanted: () => this.#source !== undefined,
      failed: (failure) => this.#failed(failure),
    })
    this.#first.promise.catch(() => {})
    this.#sound = publisher.addTrack(targetTrack(target, PES_TIMESCALE)) as AudioTrack
  }

  /**
   * Begins to make the stream.
   * @throws {ProgramMissing} when there is no ffmpeg
   */
  static async begin(options: FittedStreamOptions): Promise<void> {
    const { publisher, subscriber } = options
    const stream = new FittedStream(options)
    for (const track of subscriber.tracks) stream.#track(track)
    publisher.tracksComplete()
    publisher.onClose(() => subscriber.close())
    subscriber.onClose(() => {
      publisher.close('its origin has ended')
      void stream.#supervisor.close()
      stream.#first.resolve()
    })
    if (stream.#source !== undefined) await stream.#first.promise
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
      // The viewers go back to the path of the origin, and wait there.
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

  /** Makes a track of sound the source; of several, only the main one. */
  #listenTo(track: AudioTrack): void {
    const main = mainTracks(this.#options.subscriber.tracks).find(({ kind }) => kind === 'audio')
    if (main !== undefined && main.id !== track.id) return
    if (this.#source === track) return
    this.#source = canEncode(track) ? track : undefined
    this.#renewEncoder()
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
      // The kept pictures are passed on at once; sound of their time, which has to be encoded, would come too late.
      if (this.#isKept) return
      if (this.#encoder?.isSpent === true) this.#renewEncoder()
      // A unit that comes while there is no ffmpeg is lost, too.
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
    const lateMs = this.#newestMs - rescale(unit.dts, PES_TIMESCALE, 1000)
    if (!this.#hasSound && lateMs > MAX_LATE_MS) return publisher.lost(this.#sound, 1)
    this.#hasSound = true
    publisher.write(unit.at(this.#sound, unit.dts, unit.pts))
  }

  /** Replaces ffmpeg by another one, or by none when there is no sound. */
  #renewEncoder(): void {
    this.#encoder = undefined
    this.#supervisor.renew()
    this.#supervisor.begin()
  }

  /** Encodes the sound by one ffmpeg, until that ends or the signal aborts. */
  async #encode(signal: AbortSignal): Promise<void> {
    const { ctx, target, publisher } = this.#options
    const source = this.#source
    if (source === undefined) return
    const { bitrate: bitrateKbps, ffmpegpath: command } = ctx.config
    const encoder = new Encoder({
      processes: ctx.processes,
      command,
      bitrateKbps,
      owner: publisher.streamPath,
      signal,
      source,
      target,
      made: (unit) => this.#made(unit),
      configured: (config) => (this.#sound = publisher.configureTrack(this.#sound, config)),
    })
    const { done } = await encoder.begin()
    signal.throwIfAborted()
    this.#encoder = encoder
    this.#hasBegun = true
    this.#first.resolve()
    try {
      // The next ffmpeg takes over while this one is still ending.
      await Promise.race([done, untilAborted(signal)])
    } finally {
      if (this.#encoder === encoder) this.#encoder = undefined
    }
  }

  #failed({ error, failures }: RunFailure): void {
    if (!this.#hasBegun) return this.#first.reject(error)
    const { ctx, publisher } = this.#options
    const stream = publisher.streamPath
    if (error === undefined) ctx.log.warn({ stream, failures }, 'ffmpeg has ended while it encoded the sound')
    else ctx.log.warn({ err: error, stream }, 'the sound can not be encoded')
  }
}
