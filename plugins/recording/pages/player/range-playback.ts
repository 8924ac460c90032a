import type Hls from 'hls.js'
import type { ErrorData, Fragment } from 'hls.js'
import type { TimeRange } from '../calendar.ts'

/** A playlist has no more than this of a recording: a day of one would be megabytes. */
const WINDOW_MS = 60 * 60 * 1000
/** Media that is loaded ahead, in seconds: at a speed of 16 it is played within four. */
const AHEAD_SECONDS = 60
const BEHIND_SECONDS = 60

type RangePlaybackInit = {
  readonly video: HTMLVideoElement
  /** The address of the playlist of a time. */
  readonly addressOf: (range: TimeRange) => Promise<string>
  /** Called with the time of the picture that is shown, in milliseconds since the Unix epoch. */
  readonly onTime: (ms: number) => void
  /** Called when all of a window was played, with the time at which it ended. */
  readonly onEnd: (endMs: number) => void
  /** Called with the message of what ended the playback. */
  readonly onProblem: (message: string) => void
  /** The message for browsers without Media Source Extensions. */
  readonly unsupported: string
}

/** Plays recordings by their dates: windows of an hour by HLS, within which it seeks. */
export class RangePlayback {
  readonly #init: RangePlaybackInit
  #hls: Hls | undefined
  /** Counts what was asked for: an answer to an older question is left alone. */
  #asked = 0
  #isRecovered = false

  constructor(init: RangePlaybackInit) {
    this.#init = init
    init.video.addEventListener('timeupdate', this.#tell)
    init.video.addEventListener('ended', this.#ended)
  }

  /** Plays from a time on, which should be a recorded one. */
  async playFrom(ms: number): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    const { video, addressOf, onProblem } = this.#init
    if (!this.#seek(ms)) {
      this.#unload()
      try {
        const [{ default: HlsPlayer }, address] = await Promise.all([
          import('hls.js'),
          addressOf({ fromMs: ms, toMs: ms + WINDOW_MS }),
        ])
        if (asked !== this.#asked) return
        if (!HlsPlayer.isSupported()) throw new Error(this.#init.unsupported)
        this.#load(HlsPlayer, address)
      } catch (error) {
        if (asked === this.#asked) onProblem(error instanceof Error ? error.message : String(error))
        return
      }
    }
    await begin(video)
  }

  close(): void {
    this.#asked += 1
    const { video } = this.#init
    video.removeEventListener('timeupdate', this.#tell)
    video.removeEventListener('ended', this.#ended)
    this.#unload()
  }

  #load(HlsPlayer: typeof Hls, address: string): void {
    const hls = new HlsPlayer({
      // The page's policy allows none.
      enableWorker: false,
      startPosition: 0,
      maxBufferLength: AHEAD_SECONDS,
      backBufferLength: BEHIND_SECONDS,
    })
    this.#hls = hls
    this.#isRecovered = false
    hls.on(HlsPlayer.Events.ERROR, (_event, data) => {
      if (!data.fatal) return
      if (data.type === HlsPlayer.ErrorTypes.MEDIA_ERROR && !this.#isRecovered) {
        this.#isRecovered = true
        hls.recoverMediaError()
        return
      }
      this.#unload()
      this.#init.onProblem(messageOf(data))
    })
    hls.loadSource(address)
    hls.attachMedia(this.#init.video)
  }

  #unload(): void {
    this.#hls?.destroy()
    this.#hls = undefined
  }

  /** Returns false for a time that the window does not have. */
  #seek(ms: number): boolean {
    const fragment = this.#fragments.find(({ programDateTime, duration }) => {
      return programDateTime !== null && ms >= programDateTime && ms < programDateTime + duration * 1000
    })
    if (fragment === undefined || fragment.programDateTime === null) return false
    this.#init.video.currentTime = fragment.start + (ms - fragment.programDateTime) / 1000
    return true
  }

  get #fragments(): readonly Fragment[] {
    return this.#hls?.levels[0]?.details?.fragments ?? []
  }

  readonly #tell = () => {
    const { video, onTime } = this.#init
    const now = video.currentTime
    const fragment = this.#fragments.findLast(({ start }) => start <= now)
    if (fragment === undefined || fragment.programDateTime === null) return
    onTime(Math.round(fragment.programDateTime + (now - fragment.start) * 1000))
  }

  readonly #ended = () => {
    const last = this.#fragments.at(-1)
    if (last === undefined || last.programDateTime === null) return
    this.#init.onEnd(Math.round(last.programDateTime + last.duration * 1000))
  }
}

/** Plays without sound where the browser allows none before a click. */
async function begin(video: HTMLVideoElement): Promise<void> {
  try {
    await video.play()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return
    video.muted = true
    await video.play().catch(() => undefined)
  }
}

/** The server's message where it has answered with one. */
function messageOf({ networkDetails, error }: ErrorData): string {
  if (networkDetails instanceof XMLHttpRequest && networkDetails.responseType !== 'arraybuffer') {
    try {
      const { message } = JSON.parse(networkDetails.responseText) as { readonly message?: string }
      if (message !== undefined) return message
    } catch {
      // It is no answer of this server's.
    }
  }
  return error.message
}
