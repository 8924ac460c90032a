import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { addressesIn, ask, type HlsAnswer } from '../../support/hls-client.ts'

/** How often the playlist is looked at. */
const INTERVAL_MS = 100

/** Copies a stream of HLS into a folder while it goes on, so that it can be served as files. */
export class HlsCopier {
  readonly #folder: string
  readonly #copied = new Set<string>()
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined

  /** @param folder stands for the root of the server that is copied */
  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Resolves when all that is listed now is there; what comes later is copied as it appears.
   * @throws {Error} when the stream can't be played
   */
  async start(url: string): Promise<void> {
    const multivariant = await ask(url)
    const [mediaUrl] = addressesIn(multivariant)
    if (mediaUrl === undefined) throw new Error(`${url} answered ${multivariant.status} ${multivariant.text}`)
    let text = await this.#copyMedia(mediaUrl, '')
    await this.#keep(multivariant.url, multivariant.text)
    this.#running = (async () => {
      while (!this.#stopped.signal.aborted) {
        await delay(INTERVAL_MS)
        text = await this.#copyMedia(mediaUrl, text)
      }
    })()
    this.#running.catch(() => {})
  }

  /** @throws {Error} when it has failed since it was started */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  /** A playlist is written after what it lists. */
  async #copyMedia(url: string, before: string): Promise<string> {
    const answer = await ask(url)
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status} ${answer.text}`)
    if (answer.text === before) return before
    await Promise.all(this.#newFiles(answer).map((address) => this.#copyFile(address)))
    await this.#keep(url, answer.text)
    return answer.text
  }

  #newFiles(answer: HlsAnswer): string[] {
    return addressesIn(answer).filter((address) => !this.#copied.has(address))
  }

  async #copyFile(address: string): Promise<void> {
    this.#copied.add(address)
    const response = await fetch(address)
    if (response.status !== 200) throw new Error(`${address} answered ${response.status}`)
    await this.#keep(address, Buffer.from(await response.arrayBuffer()))
  }

  async #keep(url: string, content: string | Buffer): Promise<void> {
    const file = path.join(this.#folder, decodeURIComponent(new URL(url).pathname))
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(`${file}.part`, content)
    await rename(`${file}.part`, file)
  }
}
