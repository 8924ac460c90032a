import type { Socket } from 'node:net'
import { FlvPlayer } from './flv-player.ts'
import type { Picture, Player, PlayerEvents, Target } from './player.ts'
import { RtmpPlayer } from './rtmp-player.ts'
import { RtspPlayer } from './rtsp-player.ts'
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
    const events: PlayerEvents = {
      send: (bytes) => void this.#socket.write(bytes),
      picture: (picture) => this.#see(picture),
      received: (sizeBytes) => {
        this.counts.receivedBytes += sizeBytes
        return this.#reading
      },
      failed: (reason) => this.#fail(reason),
    }
    switch (target.format) {
      case 'rtmp':
        return new RtmpPlayer(target, events, () => this.#socket)
      case 'rtsp':
      case 'rtsp-udp':
        return new RtspPlayer(target, events)
      default:
        return new FlvPlayer(target, events)
    }
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

  #see({ keyframe, marker }: Picture): void {
    if (this.firstKeyframeMs === undefined) {
      if (!keyframe) return
      this.firstKeyframeMs = performance.now() - this.#startMs
      this.#reading = this.#readsAll
      this.#settled(this)
    }
    if (!this.#readsAll || marker === null) return
    this.counts.see(marker)
    this.counts.arrived(marker)
  }

  #fail(reason: string): void {
    if (this.failure !== undefined) return
    this.failure = reason
    this.#reading = false
    this.#socket.destroy()
    this.#player.close?.()
    if (this.firstKeyframeMs === undefined) this.#settled(this)
  }
}
