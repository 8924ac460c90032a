import type { FlvTag } from 'sluice/sdk/media'
import { RtmpClient, type RtmpClientInit } from './rtmp-client.ts'

const BEAT_MS = 10

export type LiveSourceInit = RtmpClientInit & {
  /** In order of time. */
  readonly tags: readonly FlvTag[]
  /** Starts again from the front after so long, with what sets it up; otherwise the source falls silent at its end. */
  readonly loopMs?: number
}

/** A publisher that sends tags when their time has come, as an encoder does. It leaves with the test that started it. */
export class LiveSource {
  /** The wall clock at time zero of the tags, in Unix milliseconds. */
  readonly startMs: number
  readonly #client: RtmpClient
  readonly #loopMs: number
  #tags: readonly FlvTag[]
  #next: readonly FlvTag[] | undefined
  #sent = 0
  /** What is added to the timestamps. */
  #shiftMs = 0
  #lastMs = 0

  private constructor(client: RtmpClient, { tags, loopMs = Infinity }: LiveSourceInit) {
    this.#client = client
    this.#tags = tags
    this.#loopMs = loopMs
    this.startMs = Date.now() - (tags.find(({ timestampMs }) => timestampMs > 0)?.timestampMs ?? 0)
    const timer = setInterval(() => this.#beat(), BEAT_MS)
    void client.closed.then(() => clearInterval(timer))
  }

  static async start(init: LiveSourceInit): Promise<LiveSource> {
    return new LiveSource(await RtmpClient.publish(init), init)
  }

  /** Sends other tags from the next round on: an encoder that is set up anew. */
  change(tags: readonly FlvTag[]): void {
    this.#next = tags
  }

  close(): void {
    this.#client.close()
  }

  #beat(): void {
    for (;;) {
      const tag = this.#tags[this.#sent] ?? this.#again()
      if (tag === undefined) return
      // What sets a round up has the timestamp zero.
      const timestampMs = Math.max(this.#lastMs, tag.timestampMs + this.#shiftMs)
      if (this.startMs + timestampMs > Date.now()) return
      this.#client.send({ ...tag, timestampMs })
      this.#lastMs = timestampMs
      this.#sent++
    }
  }

  #again(): FlvTag | undefined {
    if (this.#loopMs === Infinity) return undefined
    this.#shiftMs += this.#loopMs
    this.#tags = this.#next ?? this.#tags
    this.#next = undefined
    this.#sent = 0
    return this.#tags[0]
  }
}
