import type { ModuleProcess, PluginContext, StreamTicket } from 'sluice/sdk'
import { frameBinaryMessage } from 'sluice/sdk/http'
import type { JsmpegConfig } from './config.ts'
import type { EncoderTask } from './encoder-process.ts'
import { feedAddress } from './feed-address.ts'
import { ffmpegOptions } from './ffmpeg-options.ts'
import { TransportStreamCutter } from './transport-stream.ts'
import type { Viewer } from './viewer.ts'

const MODULE = new URL('encoder-process.ts', import.meta.url)
/** ffmpeg is begun anew after this, and after twice as long each time that it does not last. */
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 15_000
/** One that has run so long has not failed to begin. */
const LASTING_MS = 10_000

type Context = PluginContext<JsmpegConfig>

/**
 * Has a stream encoded for its viewers: by one ffmpeg at a time, which is begun anew where it ends while the stream goes
 * on.
 */
export class Encoder {
  readonly streamPath: string
  readonly viewers = new Set<Viewer>()
  /** Settles when it is over and its ffmpeg has ended. */
  readonly done: Promise<void>
  readonly #ctx: Context
  readonly #ended = Promise.withResolvers<void>()
  #isOver = false
  #process: ModuleProcess | undefined
  /** Ends the process that runs. */
  #stop = new AbortController()
  #cancelRetry: () => void = () => {}
  #failures = 0

  /** @param streamPath of the stream that is encoded; others may lead to it */
  constructor(ctx: Context, streamPath: string) {
    this.#ctx = ctx
    this.streamPath = streamPath
    this.done = this.#ended.promise
  }

  /** Begins ffmpeg, unless it runs, or nobody publishes the stream: it is to be called again when somebody does. */
  begin(): void {
    this.#cancelRetry()
    if (this.#isOver || this.#process !== undefined) return
    if (this.#ctx.streams.get(this.streamPath) !== undefined) void this.#encode()
  }

  /** The stream has ended: what comes next is encoded anew. */
  interrupt(): void {
    this.#stop.abort()
  }

  /** Ends ffmpeg for good. Idempotent. */
  close(): void {
    this.#isOver = true
    this.#cancelRetry()
    this.#stop.abort()
    if (this.#process === undefined) this.#ended.resolve()
  }

  async #encode(): Promise<void> {
    const { log, processes, streams } = this.#ctx
    this.#stop = new AbortController()
    const { signal } = this.#stop
    const startMs = performance.now()
    let ticket: StreamTicket | undefined
    try {
      ticket = streams.ticket(this.streamPath)
      this.#process = processes.fork({ module: MODULE, data: this.#taskWith(ticket), owner: this.streamPath, signal })
      const cutter = new TransportStreamCutter()
      this.#process.onMessage((bytes) => this.#send(cutter.push(bytes as Buffer)))
      await this.#process.done
    } catch (err) {
      log.warn({ err, stream: this.streamPath }, 'the stream can not be encoded')
    } finally {
      ticket?.revoke()
      this.#process = undefined
    }
    if (this.#isOver) return this.#ended.resolve()
    if (signal.aborted) return this.begin()
    this.#failures = performance.now() - startMs < LASTING_MS ? this.#failures + 1 : 1
    this.#retryIn(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)))
  }

  #taskWith({ query }: StreamTicket): EncoderTask {
    const { config, services } = this.#ctx
    return {
      url: feedAddress(services.get('server'), this.streamPath, query),
      ffmpegPath: config.ffmpegpath,
      ffmpegOptions: ffmpegOptions(config),
    }
  }

  #retryIn(delayMs: number): void {
    this.#cancelRetry = this.#ctx.setTimeout(() => this.begin(), delayMs)
  }

  #send(packets: Buffer | undefined): void {
    if (packets === undefined) return
    const message = frameBinaryMessage(packets)
    const nowMs = performance.now()
    for (const viewer of this.viewers) viewer.send(message, nowMs)
  }
}
