import { videoBody, VIDEO_CONFIG } from './numbered-video.ts'
import { RtmpClient, type RtmpClientOptions } from './rtmp-client.ts'

export type NumberedPublisherOptions = RtmpClientOptions & {
  readonly name: string
  readonly fps: number
  /** Bytes of a frame. */
  readonly sizeBytes: number
  /** The clock that tells when a frame was sent; the monotonic one unless given. */
  readonly nowMs?: () => number
}

/** Publishes H.264 frames with numbers, a keyframe each second, at their pace until it is closed. */
export class NumberedPublisher {
  /** The number sent last. */
  last = -1
  readonly client: RtmpClient
  readonly #options: NumberedPublisherOptions
  readonly #timer: NodeJS.Timeout
  readonly #sentAtMs: number[] = []
  #timestampMs = 0

  private constructor(client: RtmpClient, options: NumberedPublisherOptions) {
    this.client = client
    this.#options = options
    client.send({ kind: 'video', payload: VIDEO_CONFIG }, 1)
    this.#send()
    this.#timer = setInterval(() => this.#send(), 1000 / options.fps)
    client.socket.once('close', () => clearInterval(this.#timer))
  }

  static async start(options: NumberedPublisherOptions): Promise<NumberedPublisher> {
    return new NumberedPublisher(await RtmpClient.publish(options, options.name), options)
  }

  /** When a frame was sent. */
  sentAtMs(number: number): number {
    return this.#sentAtMs[number] ?? 0
  }

  close(): void {
    clearInterval(this.#timer)
    this.client.close()
  }

  #send(): void {
    const { fps, sizeBytes, nowMs = () => performance.now() } = this.#options
    this.last++
    this.#sentAtMs.push(nowMs())
    this.#timestampMs += 1000 / fps
    const payload = videoBody(this.last, { keyframe: this.last % fps === 0, sizeBytes })
    this.client.send({ kind: 'video', payload }, 1, Math.round(this.#timestampMs))
  }
}
