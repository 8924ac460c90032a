import { useEffect, useState, type RefObject } from 'react'
import { api } from '../api-client.ts'
import { DelayMeter } from './delay-meter.ts'
import type { Engine } from './engine.ts'
import type { Playback } from './playback.ts'

/** The values that are shown below the picture; what is not known is not there. */
export type Figures = {
  readonly delayMs?: number
  readonly bufferMs?: number
  readonly bytesPerSecond?: number
  readonly width: number
  readonly height: number
  readonly frames: number
  readonly dropped: number
}

const INTERVAL_MS = 2000

/** Measures what is played every two seconds while the page is seen. */
export function useFigures(
  video: RefObject<HTMLVideoElement | null>,
  playback: Playback | undefined,
  streamPath: string,
): Figures | undefined {
  const [figures, setFigures] = useState<Figures>()
  useEffect(() => {
    if (playback === undefined) return undefined
    const abort = new AbortController()
    const sampler = new Sampler(streamPath)
    const measure = async () => {
      const element = video.current
      const { engine } = playback
      if (element === null || engine === undefined || document.hidden) return
      const measured = await sampler.measure(element, engine, abort.signal).catch(() => undefined)
      if (!abort.signal.aborted && measured !== undefined) setFigures(measured)
    }
    const timer = window.setInterval(() => void measure(), INTERVAL_MS)
    return () => {
      abort.abort()
      clearInterval(timer)
      setFigures(undefined)
    }
  }, [video, playback, streamPath])
  return figures
}

class Sampler {
  readonly #streamPath: string
  #engine: Engine | undefined
  #meter = new DelayMeter()
  #before: { readonly bytes: number; readonly atMs: number } | undefined

  constructor(streamPath: string) {
    this.#streamPath = streamPath
  }

  async measure(video: HTMLVideoElement, engine: Engine, signal: AbortSignal): Promise<Figures> {
    if (engine !== this.#engine) {
      this.#engine = engine
      this.#meter = new DelayMeter()
      this.#before = undefined
    }
    const newest = await this.#newest(signal)
    const { receivedBytes, bufferMs, delayMs: ownDelayMs } = await engine.figures()
    const byServer =
      newest === undefined || bufferMs === undefined || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA
        ? undefined
        : this.#meter.add({ ...newest, shownMs: 1000 * video.currentTime, bufferMs })
    const delayMs = ownDelayMs ?? byServer
    const bytesPerSecond = this.#rateOf(receivedBytes)
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality()
    return {
      ...(delayMs !== undefined && { delayMs }),
      ...(bufferMs !== undefined && { bufferMs }),
      ...(bytesPerSecond !== undefined && { bytesPerSecond }),
      width: video.videoWidth,
      height: video.videoHeight,
      frames: totalVideoFrames,
      dropped: droppedVideoFrames,
    }
  }

  /** The newest media of the server, and the time that it took to ask; a stream behind an alias has none by its name. */
  async #newest(signal: AbortSignal) {
    const askedMs = performance.now()
    const params = { streamPath: this.#streamPath }
    const answer = await api.call('GET /api/stream/info/{streamPath}', { params }, signal).catch(() => undefined)
    const newestMs = answer?.data.videoTrack?.timestamp ?? answer?.data.audioTrack?.timestamp
    return newestMs === undefined ? undefined : { newestMs, roundTripMs: performance.now() - askedMs }
  }

  #rateOf(bytes: number | undefined): number | undefined {
    if (bytes === undefined) return undefined
    const atMs = performance.now()
    const before = this.#before
    this.#before = { bytes, atMs }
    return before && (1000 * (bytes - before.bytes)) / (atMs - before.atMs)
  }
}
