import { setTimeout as delay } from 'node:timers/promises'
import { distributionOf, type Distribution } from '../statistics.ts'
import { isHls, isSrt, SRT_PASSPHRASE, type Target } from './player.ts'
import { HlsViewer } from './hls/hls-viewer.ts'
import type { Load } from './load.ts'
import type { LoadViewer } from './load-viewer.ts'
import { SrtViewer } from './srt/srt-viewer.ts'
import { Viewer } from './viewer.ts'
import { WhepViewer } from './webrtc/whep-viewer.ts'

const JOIN_TIMEOUT_MS = 20_000
/** Viewers are started in groups this far apart. */
const STEP_MS = 5

export type ViewersInit = {
  readonly target: Target
  readonly count: number
  readonly perSecond: number
  /** Read the stream all along, for its markers, instead of counting bytes after the first keyframe. */
  readonly readsAll: boolean
}

export type ViewersReady = {
  readonly joined: number
  readonly failures: readonly string[]
  readonly firstKeyframeMs: Distribution
}

export type ViewersReport = {
  readonly seconds: number
  /** Of HLS without playlists and headers. */
  readonly receivedBytes: number
  /** Of the viewer that received least. */
  readonly leastBytes: number
  /** Connections that have ended. */
  readonly closed: number
  /** Of HLS. */
  readonly requests: number
  readonly failedRequests: number
  readonly frames: number
  readonly lostFrames: number
  /** Of WebRTC and SRT. */
  readonly lostPackets: number
  readonly delayMs: Distribution
}

/** Many viewers of one stream, in this process. */
export class Viewers implements Load<ViewersReady, ViewersReport> {
  readonly #init: ViewersInit
  readonly #viewers: LoadViewer[] = []
  #beginMs = 0

  constructor(init: ViewersInit) {
    this.#init = init
  }

  async start(): Promise<ViewersReady> {
    const { target, count, perSecond, readsAll } = this.#init
    const startMs = performance.now()
    const settled = new Set<LoadViewer>()
    while (this.#viewers.length < count) {
      const due = Math.min(count, 1 + Math.floor(((performance.now() - startMs) / 1000) * perSecond))
      while (this.#viewers.length < due)
        this.#viewers.push(createViewer(this.#ownTarget(target), readsAll, (viewer) => settled.add(viewer)))
      await delay(STEP_MS)
    }
    const endMs = performance.now() + JOIN_TIMEOUT_MS
    while (settled.size < count && performance.now() < endMs) await delay(STEP_MS)
    const times = this.#viewers.flatMap(({ firstKeyframeMs }) => firstKeyframeMs ?? [])
    const failures = this.#viewers.flatMap(({ failure, firstKeyframeMs }) =>
      firstKeyframeMs === undefined ? (failure ?? 'no keyframe in time') : [],
    )
    return { joined: times.length, failures, firstKeyframeMs: distributionOf(times) }
  }

  begin(): void {
    this.#beginMs = performance.now()
    for (const viewer of this.#viewers) viewer.beginWindow()
  }

  end(): ViewersReport {
    const counts = this.#viewers.map((viewer) => viewer.counts)
    const bytes = counts.map(({ receivedBytes }) => receivedBytes)
    return {
      seconds: (performance.now() - this.#beginMs) / 1000,
      receivedBytes: sum(bytes),
      leastBytes: Math.min(...bytes),
      closed: this.#viewers.filter(({ failure }) => failure !== undefined).length,
      requests: sum(counts.map(({ requests }) => requests)),
      failedRequests: sum(counts.map(({ failedRequests }) => failedRequests)),
      frames: sum(counts.map(({ frames }) => frames)),
      lostFrames: sum(counts.map(({ lostFrames }) => lostFrames)),
      lostPackets: sum(counts.map(({ lostPackets }) => lostPackets)),
      delayMs: distributionOf(counts.flatMap(({ delaysMs }) => delaysMs)),
    }
  }

  #ownTarget(target: Target): Target {
    return target.isPortOfViewer === true ? { ...target, port: target.port + this.#viewers.length } : target
  }

  stall(): void {
    for (const viewer of this.#viewers) viewer.stall()
  }

  resume(): void {
    for (const viewer of this.#viewers) viewer.resume()
  }
}

/** @param settled Called once: the first keyframe is there, or it has failed. */
function createViewer(target: Target, readsAll: boolean, settled: (viewer: LoadViewer) => void): LoadViewer {
  const { format, port, path } = target
  if (isHls(format)) return new HlsViewer({ format, port, path, readsAll }, settled)
  if (isSrt(format)) {
    const passphrase = format === 'srt-aes' ? SRT_PASSPHRASE : undefined
    return new SrtViewer({ port, streamId: path, passphrase, readsAll }, settled)
  }
  return format === 'webrtc' ? new WhepViewer({ port, path, readsAll }, settled) : new Viewer(target, readsAll, settled)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
