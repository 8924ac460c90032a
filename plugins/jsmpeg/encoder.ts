import { Supervisor, type PluginContext, type StreamTicket } from 'sluice/sdk'
import { frameBinaryMessage } from 'sluice/sdk/http'
import type { JsmpegConfig } from './config.ts'
import type { EncoderTask } from './encoder-process.ts'
import { feedAddress } from './feed-address.ts'
import { ffmpegOptions } from './ffmpeg-options.ts'
import { TransportStreamCutter } from './transport-stream.ts'
import type { Viewer } from './viewer.ts'

const MODULE = new URL('encoder-process.ts', import.meta.url)

type Context = PluginContext<JsmpegConfig>

/**
 * Encodes a stream for its viewers by one ffmpeg at a time. Another one is started when that ends before the stream does.
 */
export class Encoder {
  readonly streamPath: string
  readonly viewers = new Set<Viewer>()
  readonly #ctx: Context
  readonly #supervisor: Supervisor

  /** @param streamPath the path of the encoded stream; other paths may lead to it */
  constructor(ctx: Context, streamPath: string) {
    this.#ctx = ctx
    this.streamPath = streamPath
    this.#supervisor = new Supervisor(ctx, {
      run: (signal) => this.#encode(signal),
      isWanted: () => ctx.streams.get(streamPath) !== undefined,
      failed({ error }) {
        if (error !== undefined) ctx.log.warn({ err: error, stream: streamPath }, 'the stream can not be encoded')
      },
    })
  }

  /** Starts ffmpeg, unless it runs or the stream is not published; to be called again when it is published. */
  begin(): void {
    this.#supervisor.begin()
  }

  /** Replaces ffmpeg when the stream has ended: the next stream of the path is encoded by another one. */
  interrupt(): void {
    this.#supervisor.renew()
  }

  /** Ends ffmpeg for good, and resolves when that is done. Idempotent. */
  close(): Promise<void> {
    return this.#supervisor.close()
  }

  async #encode(signal: AbortSignal): Promise<void> {
    const { processes, streams } = this.#ctx
    const ticket = streams.ticket(this.streamPath)
    try {
      const data = this.#taskWith(ticket)
      const encoding = processes.fork({ module: MODULE, data, owner: this.streamPath, signal })
      const cutter = new TransportStreamCutter()
      encoding.onMessage((bytes) => this.#send(cutter.push(bytes as Buffer)))
      await encoding.done
    } finally {
      ticket.revoke()
    }
  }

  #taskWith({ query }: StreamTicket): EncoderTask {
    const { config, services } = this.#ctx
    return {
      url: feedAddress(services.get('server'), this.streamPath, query),
      ffmpegPath: config.ffmpegpath,
      ffmpegOptions: ffmpegOptions(config),
    }
  }

  #send(packets: Buffer | undefined): void {
    if (packets === undefined) return
    const message = frameBinaryMessage(packets)
    const nowMs = performance.now()
    for (const viewer of this.viewers) viewer.send(message, nowMs)
  }
}
