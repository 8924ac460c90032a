import { StreamUnavailable, type PluginContext, type Sink, type Subscriber } from 'sluice/sdk'
import type { JsmpegConfig } from './config.ts'
import { Encoder } from './encoder.ts'
import { Viewer } from './viewer.ts'

type Context = PluginContext<JsmpegConfig>

/** The encoders of streams, and the viewers of each. */
export class Encoders {
  readonly #ctx: Context
  /** The encoders by the paths of their streams. */
  readonly #encoders = new Map<string, Encoder>()
  /** The encoders without viewers, each with the function that cancels its end. */
  readonly #idle = new Map<Encoder, () => void>()
  /** The encoders that have not begun, as the ffmpeg of others is still ending. */
  readonly #waiting = new Set<Encoder>()
  /** The ends of the encoders that are over; each settles when its ffmpeg has ended. */
  readonly #ending = new Set<Promise<void>>()

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.hooks.on('published', ({ path }) => this.#published(path))
    ctx.hooks.on('unpublished', ({ path }) => this.#encoders.get(path)?.interrupt())
    ctx.onDispose(() => {
      for (const encoder of this.#encoders.values()) void encoder.close()
    })
  }

  /** @throws {StreamUnavailable} when no further stream can be encoded */
  checkRoom(streamPath: string): void {
    const { maxencoders } = this.#ctx.config
    if (this.#encoders.has(streamPath) || this.#encoders.size - this.#idle.size < maxencoders) return
    throw new StreamUnavailable(`no more than ${maxencoders} streams are encoded at a time (maxencoders)`)
  }

  /** Sends a subscriber its stream, and each other one that it is moved to, until it closes. */
  join(subscriber: Subscriber, sink: Sink): void {
    const viewer = new Viewer(subscriber, sink, performance.now())
    let encoder: Encoder | undefined
    const follow = () => {
      this.#leave(encoder, viewer)
      encoder = this.#enter(viewer)
    }
    subscriber.onSource(follow)
    subscriber.onClose(() => this.#leave(encoder, viewer))
    follow()
  }

  #enter(viewer: Viewer): Encoder | undefined {
    const { subscriber } = viewer
    try {
      const encoder = this.#encoderFor(subscriber.sourcePath)
      encoder.viewers.add(viewer)
      this.#idle.get(encoder)?.()
      this.#idle.delete(encoder)
      return encoder
    } catch (error) {
      subscriber.close(error instanceof StreamUnavailable ? error.message : 'failed')
      if (!(error instanceof StreamUnavailable)) throw error
      return undefined
    }
  }

  #leave(encoder: Encoder | undefined, viewer: Viewer): void {
    if (encoder?.viewers.delete(viewer) !== true || encoder.viewers.size > 0) return
    this.#idle.set(
      encoder,
      this.#ctx.setTimeout(() => this.#end(encoder), this.#ctx.config.stopdelay),
    )
  }

  /** @throws {StreamUnavailable} when no further stream can be encoded */
  #encoderFor(streamPath: string): Encoder {
    const known = this.#encoders.get(streamPath)
    if (known !== undefined) return known
    this.checkRoom(streamPath)
    const [longestIdle] = this.#idle.keys()
    if (longestIdle !== undefined && this.#encoders.size >= this.#ctx.config.maxencoders) this.#end(longestIdle)
    const encoder = new Encoder(this.#ctx, streamPath)
    this.#encoders.set(streamPath, encoder)
    void this.#begin(encoder)
    return encoder
  }

  /** Begins an encoder when there is room for it; an ffmpeg that is still ending counts, too. */
  async #begin(encoder: Encoder): Promise<void> {
    this.#waiting.add(encoder)
    while (this.#encoders.size + this.#ending.size > this.#ctx.config.maxencoders && this.#ending.size > 0) {
      await Promise.race(this.#ending)
    }
    this.#waiting.delete(encoder)
    encoder.begin()
  }

  #published(streamPath: string): void {
    const encoder = this.#encoders.get(streamPath)
    if (encoder !== undefined && !this.#waiting.has(encoder)) encoder.begin()
  }

  #end(encoder: Encoder): void {
    this.#idle.get(encoder)?.()
    this.#idle.delete(encoder)
    this.#encoders.delete(encoder.streamPath)
    const ended = encoder.close()
    this.#ending.add(ended)
    void ended.then(() => this.#ending.delete(ended))
  }
}
