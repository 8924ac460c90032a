import { SluiceError, type AccessUnit, type PluginContext, type Subscriber } from 'sluice/sdk'
import type { Album, PictureMode } from '../album/album.ts'
import type { PictureEncoder } from '../picture/picture-encoder.ts'
import { isMainKeyframe } from './newest-keyframe.ts'
import type { PicturePace } from './picture-pace.ts'

const OWN_CLIENT = { ip: '', port: 0, userAgent: '' }

/** The parts that make and keep pictures. */
export type PictureParts = {
  readonly ctx: Pick<PluginContext<unknown>, 'streams' | 'log' | 'tasks' | 'services' | 'signal'>
  readonly encoder: PictureEncoder
  readonly album: Album
}

/** The options of {@link StreamPictures}. */
export type StreamPicturesInit = {
  readonly streamPath: string
  readonly mode: PictureMode
  readonly folder: string
  /** A filter of ffmpeg; see `watermarkFilter`. */
  readonly filter?: string | undefined
  readonly pace: PicturePace
  /** True when the pictures do not keep the stream alive. */
  readonly isPassive: boolean
}

/** Takes pictures of a stream, one after the other. While one is being made, keyframes are left out, and counted as dropped. */
export class StreamPictures {
  readonly #parts: PictureParts
  readonly #init: StreamPicturesInit
  #taken = 0
  #dropped = 0
  #making: Promise<void> | undefined

  constructor(parts: PictureParts, init: StreamPicturesInit) {
    this.#parts = parts
    this.#init = init
  }

  /** The number of pictures that were taken. */
  get taken(): number {
    return this.#taken
  }

  /** The progress, for operators. */
  get progress(): Readonly<Record<string, string>> {
    return { pictures: String(this.#taken), leftOut: String(this.#dropped) }
  }

  /**
   * Takes pictures until the signal aborts, or the stream has ended.
   * @throws as `StreamManager.subscribe`
   */
  async run(signal: AbortSignal): Promise<void> {
    const { streamPath, isPassive: passive } = this.#init
    const session = { streamPath, type: 'api', url: '', query: '', client: OWN_CLIENT, passive, signal } as const
    const subscriber = await this.#parts.ctx.streams.subscribe(session)
    const ended = Promise.withResolvers<void>()
    subscriber.onClose(() => ended.resolve())
    const close = () => subscriber.close('no more pictures')
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) close()
    subscriber.read({ unit: (unit) => this.#take(unit, subscriber, signal) })
    await ended.promise
    signal.removeEventListener('abort', close)
    await this.#making
  }

  #take(unit: AccessUnit, subscriber: Subscriber, signal: AbortSignal): void {
    if (!isMainKeyframe(unit, subscriber)) return
    if (!this.#init.pace(unit.dtsMs)) return
    if (this.#making === undefined) this.#making = this.#make(unit, Date.now(), subscriber, signal)
    else this.#drop(subscriber)
  }

  async #make(unit: AccessUnit, atMs: number, subscriber: Subscriber, signal: AbortSignal): Promise<void> {
    const { encoder, album, ctx } = this.#parts
    const { streamPath, mode, folder, filter } = this.#init
    try {
      const jpeg = await encoder.encode(unit, { owner: streamPath, filter, signal })
      await album.keep({ streamPath, atMs, mode, folder, jpeg })
      this.#taken += 1
    } catch (err) {
      if (!signal.aborted) {
        this.#drop(subscriber)
        // The first error stands for all.
        const level = this.#dropped === 1 ? 'warn' : 'debug'
        const cause = err instanceof SluiceError ? { reason: err.message } : { err }
        ctx.log[level]({ ...cause, stream: streamPath }, 'a picture could not be kept')
      }
    } finally {
      this.#making = undefined
    }
  }

  #drop(subscriber: Subscriber): void {
    this.#dropped += 1
    subscriber.account({ dropped: 1 })
  }
}
