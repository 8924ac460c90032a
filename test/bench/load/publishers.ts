import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { FLV_TAG_TYPE } from 'sluice/sdk/media'
import { serializeMarker } from '../media/marker.ts'
import { isVideo, parseTape, VIDEO_HEADER_SIZE_BYTES, type Tape } from '../media/tape.ts'
import type { Load } from './load.ts'
import { createRtmpClient } from './rtmp-player.ts'
import { openSocket } from './socket.ts'

const START_TIMEOUT_MS = 20_000
const TICK_MS = 2

export type PublishersInit = {
  readonly port: number
  /** App and name of each stream. */
  readonly paths: readonly string[]
  /** An FLV file. */
  readonly file: string
}

export type PublishersReady = { readonly failures: readonly string[] }

export type PublishersReport = {
  readonly seconds: number
  /** Bodies of messages, of all publishers. */
  readonly mediaBytes: number
  readonly frames: number
  /** What the slowest connection held back at most, and how far behind its time a message was sent at most. */
  readonly maxQueuedBytes: number
  readonly maxLateMs: number
  readonly closed: number
}

/** Publishes a tape under some names, in real time and over and over. */
export class Publishers implements Load<PublishersReady, PublishersReport> {
  readonly #init: PublishersInit
  #publishers: Publisher[] = []
  #beginMs = 0

  constructor(init: PublishersInit) {
    this.#init = init
  }

  async start(): Promise<PublishersReady> {
    const tape = parseTape(await readFile(this.#init.file))
    for (const path of this.#init.paths) {
      this.#publishers.push(new Publisher(this.#init.port, path, tape))
      // So that not all of them send their keyframes at the same time.
      await delay(Math.min(20, 2000 / this.#init.paths.length))
    }
    const endMs = performance.now() + START_TIMEOUT_MS
    const waits = () => this.#publishers.some(({ started, failure }) => !started && failure === undefined)
    while (waits() && performance.now() < endMs) await delay(5)
    setInterval(() => {
      const nowMs = performance.now()
      for (const publisher of this.#publishers) publisher.send(nowMs)
    }, TICK_MS)
    const unstarted = this.#publishers.filter(({ started }) => !started)
    return { failures: unstarted.map(({ failure }) => failure ?? 'not let in in time') }
  }

  begin(): void {
    this.#beginMs = performance.now()
    for (const publisher of this.#publishers) publisher.beginWindow()
  }

  end(): PublishersReport {
    const all = this.#publishers
    return {
      seconds: (performance.now() - this.#beginMs) / 1000,
      mediaBytes: all.reduce((total, { mediaBytes }) => total + mediaBytes, 0),
      frames: all.reduce((total, { frames }) => total + frames, 0),
      maxQueuedBytes: Math.max(...all.map(({ maxQueuedBytes }) => maxQueuedBytes)),
      maxLateMs: Math.max(...all.map(({ maxLateMs }) => maxLateMs)),
      closed: all.filter(({ failure }) => failure !== undefined).length,
    }
  }
}

class Publisher {
  failure: string | undefined
  mediaBytes = 0
  frames = 0
  maxQueuedBytes = 0
  maxLateMs = 0
  readonly #tape: Tape
  readonly #socket: Socket
  readonly #client: ReturnType<typeof createRtmpClient>
  #startMs: number | undefined
  #position = 0
  #passMs = 0
  #sequence = 0

  constructor(port: number, path: string, tape: Tape) {
    this.#tape = tape
    const failed = (reason: string) => (this.failure ??= reason)
    this.#socket = openSocket(port, {
      connected: () => {},
      bytes: (view) => void this.#socket.emit('data', Buffer.from(view)),
      closed: failed,
    })
    this.#client = createRtmpClient({ port, path, socket: this.#socket })
    this.#client
      .connect()
      .then(() => this.#client.publish())
      .then(() => this.#begin())
      .catch((error: unknown) => failed(String(error)))
  }

  get started(): boolean {
    return this.#startMs !== undefined
  }

  beginWindow(): void {
    this.mediaBytes = 0
    this.frames = 0
    this.maxQueuedBytes = 0
    this.maxLateMs = 0
  }

  /** Sends what is due. */
  send(nowMs: number): void {
    if (this.#startMs === undefined || this.failure !== undefined) return
    for (;;) {
      const tag = this.#tape.tags[this.#position]!
      const timestampMs = tag.timestampMs + this.#passMs
      const lateMs = nowMs - this.#startMs - timestampMs
      if (lateMs < 0) return
      this.maxLateMs = Math.max(this.maxLateMs, lateMs)
      if (isVideo(tag)) this.#sendFrame(timestampMs, tag.body)
      else this.#sendMedia('audio', timestampMs, [tag.body])
      this.#advance()
    }
  }

  #advance(): void {
    if (++this.#position < this.#tape.tags.length) return
    this.#position = 0
    this.#passMs += this.#tape.durationMs
  }

  #begin(): void {
    for (const tag of this.#tape.headers) this.#sendMedia(isVideo(tag) ? 'video' : 'audio', 0, [tag.body])
    this.#startMs = performance.now()
  }

  #sendFrame(timestampMs: number, body: Buffer): void {
    const marker = serializeMarker({ clockNs: process.hrtime.bigint(), sequence: this.#sequence++ })
    const parts = [body.subarray(0, VIDEO_HEADER_SIZE_BYTES), marker, body.subarray(VIDEO_HEADER_SIZE_BYTES)]
    this.#sendMedia('video', timestampMs, parts)
    this.frames++
  }

  #sendMedia(kind: 'audio' | 'video', timestampMs: number, parts: readonly Buffer[]): void {
    this.#client.sendMedia(FLV_TAG_TYPE[kind], timestampMs, parts)
    for (const part of parts) this.mediaBytes += part.length
    this.maxQueuedBytes = Math.max(this.maxQueuedBytes, this.#socket.writableLength)
  }
}
