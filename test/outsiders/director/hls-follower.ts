import { setTimeout as delay } from 'node:timers/promises'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { readMediaPlaylist } from '../../support/hls/listed-media.ts'
import { PlaylistHistory } from '../../support/hls/playlist-history.ts'
import { ask, watch } from '../../support/hls-client.ts'

const POLL_MS = 300

/** A player of HLS that loads its playlist again and again, and each segment when it is listed. */
export class HlsFollower {
  /** The problems so far: rules that a playlist broke, and files that were not there. */
  readonly problems: string[] = []
  readonly #mediaUrl: string
  readonly #history = new PlaylistHistory()
  readonly #loaded = new Set<string>()
  readonly #letGo: () => void
  #breaks = new Set<number>()
  #running = true
  #done: Promise<void> = Promise.resolve()

  private constructor(mediaUrl: string) {
    this.#mediaUrl = mediaUrl
    this.#letGo = keep({ close: () => this.stop() })
  }

  static async start(url: string): Promise<HlsFollower> {
    const { mediaUrl } = await waitFor(() => watch(url), { what: 'the playlists' })
    const follower = new HlsFollower(mediaUrl)
    follower.#done = follower.#follow()
    return follower
  }

  /** The number of discontinuities that were listed. */
  get discontinuities(): number {
    return this.#breaks.size
  }

  async stop(): Promise<void> {
    this.#letGo()
    this.#running = false
    await this.#done
  }

  async #follow(): Promise<void> {
    while (this.#running) {
      await this.#load()
      await delay(POLL_MS)
    }
  }

  async #load(): Promise<void> {
    const { status, text, url } = await ask(this.#mediaUrl)
    if (status !== 200) return void this.problems.push(`${this.#mediaUrl} answered ${status}`)
    for (const { rule, detail } of this.#history.add(text)) this.problems.push(`${rule} ${detail}`)
    for (const { sequence, discontinuity, uri, initUri } of readMediaPlaylist(text).segments) {
      if (discontinuity) this.#breaks.add(sequence)
      for (const file of [initUri, uri]) if (file !== undefined) await this.#loadFile(new URL(file, url).href)
    }
  }

  async #loadFile(url: string): Promise<void> {
    if (this.#loaded.has(url)) return
    this.#loaded.add(url)
    const { status } = await ask(url)
    if (status !== 200) this.problems.push(`${url} answered ${status}`)
  }
}
