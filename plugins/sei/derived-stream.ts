import {
  StreamNotFound,
  StreamUnavailable,
  Unsupported,
  type AccessUnit,
  type PluginContext,
  type Publisher,
  type Subscriber,
  type Track,
} from 'sluice/sdk'
import { mainTracks, type SeiMessage } from 'sluice/sdk/media'
import type { SeiConfig } from './config.ts'
import { canCarrySei, unitWithSei } from './unit-with-sei.ts'

/** The most messages that wait for a picture, and their bytes: the next one may be far away, and gets all of them. */
export const MAX_PENDING_MESSAGES = 64
export const MAX_PENDING_BYTES = 256 * 1024

/** The options of a stream derived from another. */
export type DerivedStreamOptions = {
  readonly ctx: Pick<PluginContext<SeiConfig>, 'config' | 'setTimeout' | 'streams'>
  readonly source: Subscriber
  readonly copy: Publisher
  /** The messages for the next picture; all generations share the list. */
  readonly pending: SeiMessage[]
}

/**
 * A stream with all units of another, at the same distances in time, and with SEI messages in its pictures. Of several video tracks the
 * main one gets them.
 */
export class DerivedStream {
  readonly #options: DerivedStreamOptions
  /** The tracks by the id of the source's track: that track, and the one of this stream. */
  readonly #tracks = new Map<number, { readonly origin: Track; readonly own: Track }>()
  /** The main video track of the source; undefined while it has none. */
  #pictures: Track | undefined
  /** True after the first keyframe; earlier pictures reach no viewer. */
  #hasKeyframe = false
  #usedMs = performance.now()
  #cancelCheck: () => void = () => {}
  #isClosed = false

  constructor(options: DerivedStreamOptions) {
    const { source, copy } = options
    this.#options = options
    copy.onClose((reason) => {
      this.#isClosed = true
      this.#cancelCheck()
      source.close(reason)
    })
    source.onClose(() => copy.close('its source has ended'))
    for (const track of source.tracks) this.#track(track)
    copy.tracksComplete()
    this.#checkLater(this.#stopDelayMs)
  }

  /**
   * Begins to copy, from the newest keyframe on.
   * @param skipsKept true to leave out the units kept for late viewers, which the former generation has copied already
   */
  read(skipsKept: boolean): void {
    const { source, copy } = this.#options
    let isSkipping = skipsKept
    source.read({
      data: true,
      track: (track) => this.#track(track),
      unit: (unit) => {
        if (!isSkipping) this.#unit(unit)
      },
      trackRemoved: ({ id }) => this.#remove(id),
      discontinuity: () => copy.discontinuity(),
      // The track ids of another publisher count from 0 again.
      sourceEnded: () => {
        for (const id of this.#tracks.keys().toArray()) this.#remove(id)
      },
    })
    isSkipping = false
  }

  /**
   * Queues a message for the next picture, after those that wait for it already.
   * @throws {Unsupported} when the codec has no messages
   * @throws {StreamUnavailable} when too much waits
   * @throws {StreamNotFound} when the stream has ended
   */
  insert(message: SeiMessage): void {
    const { source, copy, pending } = this.#options
    if (this.#isClosed) throw new StreamNotFound()
    checkPictures(source.streamPath, this.#origins)
    const waitingBytes = pending.reduce((sum, { payload }) => sum + payload.length, 0)
    if (pending.length >= MAX_PENDING_MESSAGES || waitingBytes + message.payload.length > MAX_PENDING_BYTES) {
      const limits = `${MAX_PENDING_MESSAGES} messages and ${MAX_PENDING_BYTES} bytes`
      throw new StreamUnavailable(`no more than ${limits} can wait for the next picture of ${copy.streamPath}`)
    }
    pending.push(message)
    this.touch()
  }

  /** Notes that the stream is in use. */
  touch(): void {
    this.#usedMs = performance.now()
  }

  close(reason: string): void {
    this.#options.copy.close(reason)
  }

  get #origins(): Track[] {
    return [...this.#tracks.values()].map(({ origin }) => origin)
  }

  #track(track: Track): void {
    const { copy } = this.#options
    const known = this.#tracks.get(track.id)
    if (known?.origin === track) return
    const own = known === undefined ? copy.addTrack(track) : copy.configureTrack(known.own, track.config)
    this.#tracks.set(track.id, { origin: track, own })
    this.#choosePictures()
  }

  #remove(id: number): void {
    const known = this.#tracks.get(id)
    if (known !== undefined) this.#options.copy.removeTrack(known.own)
    this.#tracks.delete(id)
    this.#choosePictures()
  }

  #choosePictures(): void {
    this.#pictures = picturesOf(this.#origins)
  }

  #unit(unit: AccessUnit): void {
    const known = this.#tracks.get(unit.track.id)
    if (known === undefined) return
    this.#options.copy.write(this.#withMessages(unit, known.own) ?? unit.at(known.own, unit.dts, unit.pts))
  }

  /** The unit with the messages that wait for a picture; undefined when there are none, or the unit can't carry them. */
  #withMessages(unit: AccessUnit, own: Track): AccessUnit | undefined {
    const { pending } = this.#options
    if (unit.track !== this.#pictures || !canCarrySei(own)) return undefined
    this.#hasKeyframe ||= unit.keyframe
    if (pending.length === 0 || !this.#hasKeyframe) return undefined
    const withSei = unitWithSei(unit, own, pending)
    if (withSei !== undefined) pending.length = 0
    return withSei
  }

  get #stopDelayMs(): number {
    return Math.max(1, this.#options.ctx.config.stopdelay)
  }

  #checkLater(delayMs: number): void {
    if (!this.#isClosed) this.#cancelCheck = this.#options.ctx.setTimeout(() => this.#checkUse(), delayMs)
  }

  #checkUse(): void {
    const { ctx, copy } = this.#options
    if (ctx.streams.subscribers(copy.streamPath).length > 0) return this.#checkLater(this.#stopDelayMs)
    const leftMs = this.#usedMs + this.#stopDelayMs - performance.now()
    if (leftMs > 0) this.#checkLater(leftMs)
    else copy.close({ code: 'idle', text: 'nobody watches it, and nothing is inserted' })
  }
}

/**
 * Checks that a stream has pictures that can carry messages.
 * @throws {Unsupported} when it has none, or they have another codec
 */
export function checkPictures(streamPath: string, tracks: readonly Track[]): void {
  const pictures = picturesOf(tracks)
  if (pictures !== undefined && canCarrySei(pictures)) return
  const has = pictures === undefined ? 'no pictures' : pictures.codec
  throw new Unsupported(`SEI messages go into pictures of H.264 and H.265; ${streamPath} has ${has}`)
}

function picturesOf(tracks: readonly Track[]): Track | undefined {
  return mainTracks(tracks).find(({ kind }) => kind === 'video')
}
