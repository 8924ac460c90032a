import {
  bufferedAhead,
  failureOfStatus,
  MAX_LAG_SECONDS,
  type Engine,
  type EngineFigures,
  type Failure,
  type OpenEngine,
} from './engine.ts'

/** Media behind the playhead that is kept, in seconds. */
const KEPT_SECONDS = 10
/** A player with more than this before it plays faster, until it has the target. */
const CATCH_UP_SECONDS = 1.2
const TARGET_SECONDS = 0.6
const CATCH_UP_RATE = 1.15

/** Plays live MP4: one answer without end, which goes into a source buffer as it comes. */
export const openEngine: OpenEngine = (video, url, onFailure) => new Mp4Engine(video, url, onFailure)

class Mp4Engine implements Engine {
  readonly #video: HTMLVideoElement
  readonly #onFailure: (failure: Failure) => void
  readonly #abort = new AbortController()
  readonly #address: string
  #receivedBytes = 0
  #isClosed = false

  constructor(video: HTMLVideoElement, url: string, onFailure: (failure: Failure) => void) {
    this.#video = video
    this.#onFailure = onFailure
    const source = new MediaSource()
    this.#address = URL.createObjectURL(source)
    source.addEventListener('sourceopen', () => void this.#play(source, url), { once: true })
    video.src = this.#address
  }

  async figures(): Promise<EngineFigures> {
    return { receivedBytes: this.#receivedBytes, bufferMs: 1000 * bufferedAhead(this.#video) }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#abort.abort()
    this.#video.playbackRate = 1
    this.#video.removeAttribute('src')
    this.#video.load()
    URL.revokeObjectURL(this.#address)
  }

  async #play(source: MediaSource, url: string): Promise<void> {
    try {
      const answer = await fetch(url, { signal: this.#abort.signal })
      if (!answer.ok || answer.body === null) {
        return this.#fail(failureOfStatus(answer.status, await answer.text()))
      }
      const type = answer.headers.get('content-type') ?? ''
      if (!MediaSource.isTypeSupported(type)) {
        return this.#fail({ kind: 'unsupported', message: `this browser does not decode ${type}` })
      }
      await this.#feed(source.addSourceBuffer(type), answer.body.getReader())
    } catch (error) {
      const wasPlaying = this.#receivedBytes > 0
      this.#fail({ kind: wasPlaying ? 'ended' : 'unreachable', message: (error as Error).message })
    }
  }

  /** Appends what has come, in one piece: there is a fragment for each picture and each frame of sound. */
  async #feed(buffer: SourceBuffer, reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<void> {
    let pieces: Uint8Array<ArrayBuffer>[] = []
    let appending: Promise<void> | undefined
    const append = async () => {
      while (pieces.length > 0 && !this.#isClosed) {
        const bytes = joined(pieces)
        pieces = []
        await update(buffer, () => buffer.appendBuffer(bytes))
        if (!this.#isClosed) await this.#follow(buffer)
      }
      appending = undefined
    }
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return this.#fail({ kind: 'ended', message: '' })
      this.#receivedBytes += value.byteLength
      pieces.push(value)
      appending ??= append().catch((error: unknown) => this.#fail({ kind: 'ended', message: (error as Error).message }))
    }
  }

  /** Begins where the media begins, keeps near its end, and lets go of what was shown. */
  async #follow(buffer: SourceBuffer): Promise<void> {
    const video = this.#video
    const { buffered } = video
    const last = buffered.length - 1
    if (last < 0) return
    const ahead = bufferedAhead(video)
    if (video.currentTime < buffered.start(last)) video.currentTime = buffered.start(last)
    else if (ahead > MAX_LAG_SECONDS && !video.paused) video.currentTime = buffered.end(last) - TARGET_SECONDS
    if (ahead > CATCH_UP_SECONDS) video.playbackRate = CATCH_UP_RATE
    else if (ahead < TARGET_SECONDS) video.playbackRate = 1
    const from = buffered.start(0)
    const until = video.currentTime - KEPT_SECONDS
    if (until - from > KEPT_SECONDS) await update(buffer, () => buffer.remove(from, until))
  }

  #fail(failure: Failure): void {
    if (this.#isClosed) return
    this.close()
    this.#onFailure(failure)
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0))
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.byteLength
  }
  return bytes
}

/** Waits for the end of an update of the buffer. */
function update(buffer: SourceBuffer, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    buffer.onupdateend = () => resolve()
    buffer.onerror = () => reject(new Error('the media can’t be decoded'))
    begin()
  })
}
