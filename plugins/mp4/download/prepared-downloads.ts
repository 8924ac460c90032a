import { StreamUnavailable } from 'sluice/sdk'
import type { Download } from './download.ts'

/** How long what was prepared is kept for the next request of the same: players ask for parts. */
const KEPT_MS = 60_000
const MAX_KEPT = 16
/** How many are prepared side by side, and how many requests wait for their turn. */
const MAX_PREPARING = 2
const MAX_WAITING = 32

type Kept = { readonly download: Promise<Download>; timer: NodeJS.Timeout | undefined }

/** Downloads that were prepared, which takes its time for many files, and of which a player asks for one part after the other. */
export class PreparedDownloads {
  /** By what they are of, those that were asked for last at the end. */
  readonly #kept = new Map<string, Kept>()
  readonly #waiting: (() => void)[] = []
  #preparing = 0

  /**
   * The download of a name, which is prepared unless it is there.
   * @throws {StreamUnavailable} too many are waited for
   */
  async get(name: string, prepare: () => Promise<Download>): Promise<Download> {
    const known = this.#kept.get(name)
    if (known !== undefined) this.#kept.delete(name)
    const kept: Kept = known ?? { download: this.#prepare(prepare), timer: undefined }
    clearTimeout(kept.timer)
    kept.timer = setTimeout(() => this.#forget(name, kept), KEPT_MS).unref()
    this.#kept.set(name, kept)
    for (const [oldest, other] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT) break
      this.#forget(oldest, other)
    }
    try {
      return await kept.download
    } catch (error) {
      this.#forget(name, kept)
      throw error
    }
  }

  async #prepare(prepare: () => Promise<Download>): Promise<Download> {
    if (this.#waiting.length >= MAX_WAITING) throw new StreamUnavailable('too many downloads are being prepared')
    if (this.#preparing === MAX_PREPARING) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#preparing += 1
    try {
      return await prepare()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#preparing -= 1
      else next()
    }
  }

  #forget(name: string, kept: Kept): void {
    clearTimeout(kept.timer)
    if (this.#kept.get(name) === kept) this.#kept.delete(name)
  }
}
