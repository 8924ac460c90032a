import type { StreamInfo } from 'sluice/sdk'
import { PICTURE_MODE } from '../album/album.ts'
import type { PictureRule, SnapConfig } from '../config.ts'
import { watermarkFilter } from '../picture/watermark.ts'
import { everyInterval, everyNth } from './picture-pace.ts'
import { StreamPictures, type PictureParts } from './stream-pictures.ts'

type ReadyRule = { readonly pattern: RegExp; readonly rule: PictureRule; readonly filter: string | undefined }

/** Takes pictures of streams by the rules of the config, while they are published. */
export class PictureRules {
  readonly #parts: PictureParts
  readonly #rules: readonly ReadyRule[]
  /** The abort controllers of streams' pictures, by path. */
  readonly #running = new Map<string, AbortController>()

  private constructor(parts: PictureParts, rules: readonly ReadyRule[]) {
    this.#parts = parts
    this.#rules = rules
  }

  /** @throws {Error} with the name of a rule that can't be followed */
  static async create(parts: PictureParts, { onpub }: SnapConfig): Promise<PictureRules> {
    const rules = Object.entries(onpub.transform).map(async ([expression, rule]) => {
      try {
        return { pattern: new RegExp(expression, 'u'), rule, filter: await filterOf(rule) }
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause)
        throw new Error(`onpub.transform.${expression}: ${why}`, { cause })
      }
    })
    return new PictureRules(parts, await Promise.all(rules))
  }

  /**
   * Begins to take pictures of a stream, by each rule that matches its path. A stream that is derived from another, or played from
   * recordings, is left alone.
   */
  begin({ path, type, personal }: Pick<StreamInfo, 'path' | 'type' | 'personal'>): void {
    if (type === 'transform' || personal) return
    const matching = this.#rules.filter(({ pattern }) => pattern.test(path))
    if (matching.length === 0 || this.#running.has(path)) return
    const control = new AbortController()
    this.#running.set(path, control)
    const ended = matching.map(({ rule, filter }) => this.#start(path, rule, filter, control.signal))
    void Promise.all(ended).then(() => this.#running.get(path) === control && this.#running.delete(path))
  }

  /** Ends the pictures of a stream. */
  end(path: string): void {
    this.#running.get(path)?.abort()
    this.#running.delete(path)
  }

  /** Ends the pictures of all streams. */
  endAll(): void {
    for (const path of this.#running.keys().toArray()) this.end(path)
  }

  #start(path: string, rule: PictureRule, filter: string | undefined, ended: AbortSignal): Promise<void> {
    const { timeinterval, iframeinterval, savepath: folder } = rule
    const isByTime = timeinterval > 0
    const pictures = new StreamPictures(this.#parts, {
      streamPath: path,
      folder,
      filter,
      isPassive: true,
      mode: isByTime ? PICTURE_MODE.byTime : PICTURE_MODE.byKeyframe,
      pace: isByTime ? everyInterval(timeinterval) : everyNth(iframeinterval),
    })
    const task = this.#parts.ctx.tasks.start({
      owner: path,
      description: () => ({ kind: 'pictures by a rule', ...pictures.progress }),
      run: (signal) => pictures.run(AbortSignal.any([signal, ended])),
    })
    return task.done
  }
}

/** @throws {Error} */
async function filterOf({ timeinterval, iframeinterval, watermark }: PictureRule): Promise<string | undefined> {
  if (timeinterval > 0 === iframeinterval > 0) throw new Error('give it either a timeinterval or an iframeinterval')
  return watermarkFilter({
    text: watermark.text,
    fontPath: watermark.fontpath,
    fontColor: watermark.fontcolor,
    fontSize: watermark.fontsize,
    fontSpacing: watermark.fontspacing,
    offsetX: watermark.offsetx,
    offsetY: watermark.offsety,
  })
}
