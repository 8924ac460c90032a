import type { Socket } from 'node:net'
import { parseMarker } from '../media/marker.ts'
import { isKeyframe, VIDEO_HEADER_SIZE_BYTES } from '../media/tape.ts'
import { FlvPlayer } from './flv-player.ts'
import type { Player, Target } from './player.ts'
import { RtmpPlayer } from './rtmp-player.ts'
import type { LoadViewer } from './load-viewer.ts'
import { openSocket } from './socket.ts'
import { ViewerCounts } from './viewer-counts.ts'

/** Takes a stream without end. It reads it to its first keyframe, and further if it is to; then it only counts bytes. */
export class Viewer implements LoadViewer {
  firstKeyframeMs: number | undefined
  failure: string | undefined
  counts = new ViewerCounts()
  readonly #readsAll: boolean
  readonly #settled: (viewer: Viewer) => void
  readonly #startMs = performance.now()
  readonly #socket: Socket
  readonly #player: Player
  #reading = true

  /** @param settled Called once: the first keyframe is there, or it has failed. */
  constructor(target: Target, readsAll: boolean, settled: (viewer: Viewer) => void) {
    this.#readsAll = readsAll
    this.#settled = settled
    this.#player = this.#createPlayer(target)
    this.#socket = openSocket(target.port, {
      connected: () => this.#player.start(),
      bytes: (view) => this.#receive(view),
      closed: (reason) => this.#fail(reason),
    })
  }

  beginWindow(): void {
    this.counts = this.counts.next()
  }

  stall(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  #createPlayer(target: Target): Player {
    const events = {
      send: (bytes: Buffer) => void this.#socket.write(bytes),
      video: (body: Buffer) => this.#video(body),
      failed: (reason: string) => this.#fail(reason),
    }
    return target.format === 'rtmp' ? new RtmpPlayer(target, events, () => this.#socket) : new FlvPlayer(target, events)
  }

  #receive(view: Buffer): void {
    this.counts.receivedBytes += view.length
    if (!this.#reading) return this.#player.count?.(view.length)
    try {
      this.#player.receive(Buffer.from(view))
    } catch (error) {
      this.#fail(String(error))
    }
  }

  #video(body: Buffer): void {
    if (this.firstKeyframeMs === undefined) {
      if (!isKeyframe(body)) return
      this.firstKeyframeMs = performance.now() - this.#startMs
      this.#reading = this.#readsAll
      this.#settled(this)
    }
    if (this.#readsAll) this.#observe(body)
  }

  #observe(body: Buffer): void {
    const marker = parseMarker(body.subarray(VIDEO_HEADER_SIZE_BYTES))
    if (marker === null) return
    this.counts.see(marker)
    this.counts.arrived(marker)
  }

  #fail(reason: string): void {
    if (this.failure !== undefined) return
    this.failure = reason
    this.#reading = false
    this.#socket.destroy()
    if (this.firstKeyframeMs === undefined) this.#settled(this)
  }
}
