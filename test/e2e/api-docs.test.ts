import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { openChromium } from '../peers/chromium.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const LOGIN = `
global:
  admin:
    enablelogin: true
    users: [{ username: alice, password: a long pass phrase, role: admin }]
`

/** A bound of what hangs: a busy machine may need a while to draw a page of this size. */
const TIMEOUT_MS = 120_000

describe('/api/docs in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer()
    browser = await openChromium()
  })

  async function newPage(): Promise<Page> {
    const page = await browser.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    return page
  }

  /** Opens the page, and notes what it asks for elsewhere, and what it complains about. */
  async function open(): Promise<{ readonly page: Page; readonly foreign: string[]; readonly problems: string[] }> {
    const page = await newPage()
    const foreign: string[] = []
    const problems: string[] = []
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol !== 'data:' && origin !== new URL(server.http('/')).origin) foreign.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(server.http('/api/docs'))
    return { page, foreign, problems }
  }

  /** Opens the group of operations of `tag`, and gives the one called `id` in it. */
  async function find(page: Page, tag: string, id: string): Promise<Locator> {
    await page.locator(`#operations-tag-${tag}`).click()
    return page.locator(`#operations-${tag}-${id}`)
  }

  const statusOf = (operation: Locator) => operation.locator('.live-responses-table tbody .response-col_status')

  it('shows operations, and asks them', async () => {
    const { page, foreign, problems } = await open()
    const operation = await find(page, 'system', 'getApiSysinfo')
    await operation.locator('.opblock-summary').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    await statusOf(operation).filter({ hasText: '200' }).waitFor()
    expect(await operation.locator('.live-responses-table').innerText()).to.include('"goVersion"')
    expect({ foreign, problems }).to.eql({ foreign: [], problems: [] })
    await page.close()
  })

  it('shows the group that is looked for alone, and opens the operation that an address names', async () => {
    const { page } = await open()
    const others = page.locator('#operations-tag-streams')
    await others.waitFor()
    await page.locator('.operation-filter-input').fill('system')
    await others.waitFor({ state: 'detached' })
    await page.locator('#operations-tag-system').waitFor()
    await page.close()
    const linked = await newPage()
    await linked.goto(server.http('/api/docs#/system/getApiSysinfo'))
    await linked.getByRole('button', { name: 'Try it out' }).waitFor()
    await linked.close()
  })

  it('asks with the token that it is given, and names streams with their slashes', async () => {
    const { page } = await open()
    await page.locator('.auth-wrapper .authorize').first().click()
    const form = page.locator('.auth-container').filter({ hasText: 'bearer' })
    await form.locator('input').fill('a-token')
    await form.getByRole('button', { name: 'Apply credentials' }).click()
    await form.getByRole('button', { name: 'Close' }).click()
    const operation = await find(page, 'streams', 'postApiStreamPauseByStreamPath')
    await operation.locator('.opblock-summary').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByPlaceholder('streamPath').fill('live/none')
    const asked = page.waitForRequest((request) => request.method() === 'POST')
    await operation.getByRole('button', { name: 'Execute' }).click()
    // A stream that nobody publishes is as good as paused.
    await statusOf(operation).filter({ hasText: '200' }).waitFor()
    expect((await asked).headers()['authorization']).to.equal('Bearer a-token')
    await page.close()
  })

  it('asks for a token where login is on', async () => {
    const closed = await startServer({ config: LOGIN })
    const credentials = JSON.stringify({ username: 'alice', password: 'a long pass phrase' })
    const { body } = await closed.api('/api/auth/login', { method: 'POST', body: credentials })
    const { token } = body.data as { readonly token: string }
    const page = await newPage()
    await page.goto(closed.http('/api/docs'))
    const field = page.getByLabel('Token of a login, or an API token')
    for (const [given, status] of [
      ['wrong', 401],
      [token, 200],
    ] as const) {
      await field.fill(given)
      const answered = page.waitForResponse('**/api/openapi.json')
      await page.getByRole('button', { name: 'Show the API' }).click()
      expect((await answered).status()).to.equal(status)
    }
    const operation = await find(page, 'system', 'getApiSysinfo')
    await operation.locator('.opblock-summary').click()
    expect(await field.isVisible()).to.equal(false)
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    await statusOf(operation).filter({ hasText: '200' }).waitFor()
    await page.close()
  })

  after(() => expect(server?.problems).to.eql([]))
})
