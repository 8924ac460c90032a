import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'

/** A bound of what hangs: a busy machine may need a while to draw a page. */
const TIMEOUT_MS = 120_000
/** Faults of these weights are to be found nowhere. */
const SERIOUS: ReadonlySet<string> = new Set(['serious', 'critical'])

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type AxeViolation = {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** The administration page of a server in Chromium. It speaks English unless `options` say otherwise. */
export class ConsolePage {
  readonly page: Page
  /** Errors of scripts, refusals of the Content-Security-Policy, and what the browser says of failed requests. */
  readonly problems: readonly string[]
  readonly #root: string

  private constructor(page: Page, root: string, problems: readonly string[]) {
    this.page = page
    this.problems = problems
    this.#root = root
  }

  /**
   * Opens a page of the console.
   * @param root the address of the console, `server.http('/admin/')`
   * @param path the page, without a slash first: `streams/live/a`
   */
  static async open(
    browser: Browser,
    root: string,
    path = '',
    options: BrowserContextOptions = {},
  ): Promise<ConsolePage> {
    // A dialog that fades in has other colours for a moment.
    const common = { locale: 'en-GB', viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const
    const context = await browser.newContext({ ...common, ...options })
    keep(context)
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
    const console = new ConsolePage(page, root, problems)
    await console.goTo(path)
    return console
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(this.#root + path)
  }

  /** Waits for the page with this heading. */
  heading(text: string | RegExp): Promise<void> {
    return this.page.getByRole('heading', { level: 1, name: text }).waitFor()
  }

  /** The row of a table that has a text. */
  row(text: string): Locator {
    return this.page.getByRole('row').filter({ hasText: text })
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' })
  }

  /** Presses a button that asks before it acts, and says yes. */
  async confirm(button: Locator): Promise<void> {
    await button.click()
    await this.button('Yes, do it').click()
  }

  /** Waits for a notice, or any other text. */
  text(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor()
  }

  /** Expects that the page moves: the pictures of its first video advance. */
  async plays(): Promise<void> {
    // The script is text, for it runs in the page, whose types are not those of this project; the
    // page's policy lets nothing poll there that is made of text.
    const frames = () =>
      this.page.evaluate<number>(`document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0`)
    const before = await frames()
    await waitFor(async () => (await frames()) > before + 5, { timeoutMs: TIMEOUT_MS, what: 'pictures that advance' })
  }

  /**
   * Expects that neither scripts nor the policy complained, and that axe finds nothing serious in what is shown.
   * @param expected complaints that are no fault: those of the browser of requests that the server is to refuse
   */
  async isSound(expected = /(?!)/u): Promise<void> {
    if (!(await this.page.evaluate<boolean>('typeof axe === "object"'))) await this.page.evaluate(AXE)
    const violations = await this.page.evaluate<AxeViolation[]>('axe.run().then(({ violations }) => violations)')
    const serious = violations.filter(({ impact }) => SERIOUS.has(impact))
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).to.eql([])
    expect(this.problems.filter((problem) => !expected.test(problem))).to.eql([])
  }
}
