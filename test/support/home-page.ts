import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { waitFor } from '../peers/wait-for.ts'

/** A bound of what hangs: a busy machine may need a while to decode several streams. */
const TIMEOUT_MS = 120_000

// The script is text, for it runs in the page, whose types are not those of this project.
const STATE = `({
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  heading: document.getElementById('playing').textContent,
  notice: document.getElementById('notice').innerText,
  list: document.getElementById('streams').innerText + document.getElementById('list-status').innerText,
  publish: Array.from(document.querySelectorAll('#publish-addresses code'), (code) => code.textContent),
  play: Array.from(document.querySelectorAll('#play-addresses code'), (code) => code.textContent),
  title: document.title,
  evil: document.getElementById('evil') !== null,
})`

/** What the home page shows. */
export type HomePageState = {
  /** Pictures that were decoded. */
  readonly frames: number
  readonly heading: string
  /** What is written over the picture; empty while it plays. */
  readonly notice: string
  readonly list: string
  /** The addresses, and commands, to publish and to play by. */
  readonly publish: readonly string[]
  readonly play: readonly string[]
  readonly title: string
  readonly evil: boolean
}

/** The home page of a server in Chromium. */
export class HomePage {
  readonly page: Page
  /** Errors of scripts, and what the console says of failed requests. */
  readonly problems: readonly string[]

  private constructor(page: Page, problems: readonly string[]) {
    this.page = page
    this.problems = problems
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<HomePage> {
    const page = await browser.newPage(options)
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
    await page.goto(url)
    return new HomePage(page, problems)
  }

  state(): Promise<HomePageState> {
    return this.page.evaluate<HomePageState>(STATE)
  }

  /** Waits until the page shows something. */
  async until(what: string, condition: (state: HomePageState) => boolean): Promise<HomePageState> {
    let last: HomePageState | undefined
    const shows = async () => {
      last = await this.state()
      return condition(last) ? last : null
    }
    return waitFor(shows, { what, timeoutMs: TIMEOUT_MS }).catch((cause: unknown) => {
      throw new Error(`waited for ${what}, and the page shows ${JSON.stringify(last)}`, { cause })
    })
  }

  /** Waits until pictures go on to come, from now on. */
  async plays(): Promise<HomePageState> {
    const { frames } = await this.until('the first pictures', (state) => state.frames > 5 && state.notice === '')
    return this.until('further pictures', (state) => state.frames > frames + 5)
  }

  /** Types a stream into the field. */
  async choose(target: string): Promise<void> {
    await this.page.getByLabel('Stream', { exact: true }).fill(target)
    await this.page.getByRole('button', { name: 'Play', exact: true }).click()
  }

  close(): Promise<void> {
    return this.page.close()
  }
}
