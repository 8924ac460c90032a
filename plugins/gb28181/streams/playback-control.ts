import { InvalidRequest, type Publisher, type SourceControl, type SourcePosition } from 'sluice/sdk'
import { tryParse } from 'sluice/sdk/media'
import { DeviceRefused } from '../errors.ts'
import { MANSRTSP_CONTENT_TYPE, parseMansrtsp, serializeMansrtsp, type MansrtspRequest } from '../mansrtsp/message.ts'
import type { MediaSession } from '../media/media-session.ts'

/** The speeds that devices know (GB/T 28181-2022 annex B). */
const SPEEDS: ReadonlySet<number> = new Set([0.25, 0.5, 1, 2, 4, 8, 16])

/** Steers a recording that a device plays, by MANSRTSP in INFO (GB/T 28181-2022 9.8). Positions are Unix milliseconds. */
export class PlaybackControl implements Required<
  Pick<SourceControl, 'position' | 'pause' | 'resume' | 'setSpeed' | 'seek'>
> {
  /** The publisher; undefined until the recording is published. */
  publisher: Publisher | undefined
  readonly #session: MediaSession
  readonly #deviceId: string
  readonly #fromMs: number
  readonly #toMs: number
  #cseq = 0
  #speed = 1
  /** The position at the time `#sinceMs`. */
  #atMs: number
  #sinceMs = performance.now()

  constructor(session: MediaSession, deviceId: string, range: { readonly startMs: number; readonly endMs: number }) {
    this.#session = session
    this.#deviceId = deviceId
    this.#fromMs = range.startMs
    this.#toMs = range.endMs
    this.#atMs = range.startMs
  }

  position(): SourcePosition {
    return { atMs: Math.min(this.#now(), this.#toMs), fromMs: this.#fromMs, toMs: this.#toMs }
  }

  /** @throws {DeviceRefused} */
  async pause(): Promise<void> {
    await this.#ask({ method: 'PAUSE' })
    this.#atMs = this.#now()
    this.#sinceMs = Infinity
    this.publisher?.setPaused(true)
  }

  /** @throws {DeviceRefused} */
  async resume(): Promise<void> {
    await this.#ask({ method: 'PLAY', start: 'now' })
    this.#plays(this.#now())
  }

  /** @throws {InvalidRequest} for a speed that no device knows @throws {DeviceRefused} */
  async setSpeed(speed: number): Promise<void> {
    if (!SPEEDS.has(speed)) throw new InvalidRequest(`devices play at ${[...SPEEDS].join(', ')} times the speed`)
    await this.#ask({ method: 'PLAY', scale: speed })
    this.#plays(this.#now())
    this.#speed = speed
    this.publisher?.setSpeed(speed)
  }

  /** @throws {DeviceRefused} */
  async seek(positionMs: number): Promise<void> {
    const atMs = Math.max(this.#fromMs, Math.min(positionMs, this.#toMs))
    await this.#ask({ method: 'PLAY', start: Math.floor((atMs - this.#fromMs) / 1000) })
    this.#plays(atMs)
    this.publisher?.discontinuity()
  }

  /** Notes that it plays from this position on, also when it was paused. */
  #plays(atMs: number): void {
    this.#atMs = atMs
    this.#sinceMs = performance.now()
    this.publisher?.setPaused(false)
  }

  async #ask(request: Omit<MansrtspRequest, 'kind' | 'cseq'>): Promise<void> {
    this.#cseq += 1
    const text = serializeMansrtsp({ kind: 'request', cseq: this.#cseq, ...request })
    const response = await this.#session.info({ type: MANSRTSP_CONTENT_TYPE, body: Buffer.from(text) })
    if (response === undefined) throw new DeviceRefused(this.#deviceId, 'no answer')
    const inner = response.body.length === 0 ? undefined : tryParse(parseMansrtsp, response.body.toString('latin1'))
    const status = inner?.kind === 'response' && response.status < 300 ? inner.status : response.status
    if (status >= 300) throw new DeviceRefused(this.#deviceId, `${status}`)
  }

  #now(): number {
    return this.#atMs + Math.max(0, performance.now() - this.#sinceMs) * this.#speed
  }
}
