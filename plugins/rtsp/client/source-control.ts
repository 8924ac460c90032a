import type { Publisher, SourceControl, SourcePosition, Talk, TrackInit, VideoTrack } from 'sluice/sdk'
import type { RtspResponse } from '../wire/message/message.ts'
import { RtspClientError } from './client-error.ts'
import type { SourceSession } from './source-session.ts'

/** Controls a pulled source by RTSP: pause, speed, seek, keyframes and talk. */
export class SourceControls implements SourceControl {
  /** The publisher; undefined until the source is published. */
  publisher: Publisher | undefined
  readonly seek?: (positionMs: number) => Promise<void>
  readonly position?: () => SourcePosition
  readonly #session: SourceSession
  readonly #talk: (tracks: readonly TrackInit[]) => Promise<Talk>
  #scale = 1
  /** The position in a recording at the time `#sinceMs`, in milliseconds. */
  #atMs = 0
  #sinceMs = performance.now()

  constructor(session: SourceSession, talk: (tracks: readonly TrackInit[]) => Promise<Talk>) {
    this.#session = session
    this.#talk = talk
    const { durationMs } = session.offer
    if (durationMs === undefined) return
    this.position = () => ({ atMs: Math.min(this.#now(), durationMs), fromMs: 0, toMs: durationMs })
    this.seek = (positionMs) => this.#seek(Math.max(0, Math.min(positionMs, durationMs)))
  }

  async pause(): Promise<void> {
    const onAgreed = () => {
      this.#atMs = this.#now()
      this.#sinceMs = Infinity
      this.publisher?.setPaused(true)
    }
    await this.#session.request('PAUSE', {}, { onAgreed })
  }

  async resume(): Promise<void> {
    await this.#session.request('PLAY', {}, { onAgreed: () => this.#plays(this.#now()) })
  }

  /** @throws {RtspClientError} when the server refuses, or plays at another speed */
  async setSpeed(speed: number): Promise<void> {
    const scaleOf = ({ headers }: RtspResponse) => Number(headers.get('scale') ?? speed)
    const onAgreed = (response: RtspResponse) => {
      const scale = scaleOf(response)
      this.#plays(this.#now())
      if (!(scale > 0)) return
      this.#scale = scale
      this.publisher?.setSpeed(scale)
    }
    const scale = scaleOf(await this.#session.request('PLAY', { Scale: String(speed) }, { onAgreed }))
    if (scale !== speed) throw new RtspClientError(`the source plays at a scale of ${scale}`)
  }

  requestKeyframe({ id }: VideoTrack): void {
    this.#session.ingest?.requestKeyframe(id)
  }

  talk(tracks: readonly TrackInit[]): Promise<Talk> {
    return this.#talk(tracks)
  }

  async #seek(positionMs: number): Promise<void> {
    const onAgreed = () => {
      this.#plays(positionMs)
      this.publisher?.discontinuity()
    }
    await this.#session.request('PLAY', { Range: `npt=${(positionMs / 1000).toFixed(3)}-` }, { onAgreed })
  }

  /** Notes that the source plays from this position on; PLAY ends a pause, too. */
  #plays(atMs: number): void {
    this.#atMs = atMs
    this.#sinceMs = performance.now()
    this.publisher?.setPaused(false)
  }

  #now(): number {
    return this.#atMs + Math.max(0, performance.now() - this.#sinceMs) * this.#scale
  }
}
