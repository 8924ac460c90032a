export type Transport = 'webrtc' | 'flv' | 'hls' | 'mp4'

/** The end of an engine's work, and why. */
export type Failure = {
  /**
   * `unsupported`: this browser can't play the stream so; `refused`: the viewer may not; `missing`: nobody publishes the
   * stream; `unreachable`: nothing comes from the server; `ended`: it played, and is over.
   */
  readonly kind: 'unsupported' | 'refused' | 'missing' | 'unreachable' | 'ended'
  /** Why, by the server or the browser; empty where there is nothing to say. */
  readonly message: string
}

/** The values that an engine measures by itself. */
export type EngineFigures = {
  /** Bytes of media that have come so far. */
  readonly receivedBytes?: number
  /** The time from the server to the screen, as far as the engine knows it without the server's help. */
  readonly delayMs?: number
  /** Media that has come and is not shown yet. */
  readonly bufferMs?: number
}

/** Plays one stream in a media element, once: who reconnects opens another engine. */
export interface Engine {
  figures(): Promise<EngineFigures>
  /** Ends it. Nothing is reported after that. Idempotent. */
  close(): void
}

/**
 * Begins to play.
 * @param onFailure is called once, when it is over; the engine has closed by then
 */
export type OpenEngine = (video: HTMLVideoElement, url: string, onFailure: (failure: Failure) => void) => Engine

/** Bounds the lag behind the newest media: above it, a player skips to the live edge instead of catching up. */
export const MAX_LAG_SECONDS = 8

/** The failure that a status of HTTP stands for; the text is the server's. */
export function failureOfStatus(status: number, text: string): Failure {
  const message = messageOf(text) || `HTTP ${status}`
  if (status === 401 || status === 403) return { kind: 'refused', message }
  if (status === 404) return { kind: 'missing', message }
  if (status === 406 || status === 415) return { kind: 'unsupported', message }
  return { kind: 'unreachable', message }
}

/** Asks an address why it is not played, and takes nothing of its media. */
export async function failureOf(url: string): Promise<Failure> {
  try {
    const controller = new AbortController()
    const answer = await fetch(url, { signal: controller.signal })
    const failure = answer.ok
      ? ({ kind: 'unreachable', message: '' } as const)
      : failureOfStatus(answer.status, await answer.text())
    controller.abort()
    return failure
  } catch (error) {
    return { kind: 'unreachable', message: error instanceof Error ? error.message : '' }
  }
}

/** The seconds of media from the time that is shown to the end of what has come. */
export function bufferedAhead({ buffered, currentTime }: HTMLMediaElement): number {
  const last = buffered.length - 1
  return last < 0 ? 0 : Math.max(0, buffered.end(last) - currentTime)
}

/** The server's message of its envelope, or the text as it is. */
function messageOf(text: string): string {
  try {
    const { message = '', detail = message } = JSON.parse(text) as {
      readonly message?: string
      readonly detail?: string
    }
    return detail
  } catch {
    return text.trim().slice(0, 300)
  }
}
