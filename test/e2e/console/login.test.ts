import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const PASSWORD = 'correct horse'
const CONFIG = `
global:
  admin:
    enablelogin: true
    users:
      - { username: alice, password: ${PASSWORD}, role: admin }
      - { username: bob, password: ${PASSWORD} }
`
/** The browser says that the server has refused what was asked without a login. */
const REFUSED = /status of 401/u

describe('the login of the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ config: CONFIG })
    browser = await openChromium()
  })

  const tokenOf = ({ page }: ConsolePage) =>
    page.evaluate<string | null>(`localStorage.getItem('sluice.console.token')`)
  const fill = async (console: ConsolePage, name: string, password: string) => {
    await console.page.getByLabel('User name').fill(name)
    await console.page.getByLabel('Password').first().fill(password)
    await console.button('Log in').click()
  }

  it('lets a user in by name and password, for as long as they stay, and no secret is in an address', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'plugins')
    const { page } = console
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await fill(console, 'alice', 'wrong horse')
    await page.getByRole('alert').getByText(/\w/u).waitFor()
    expect(await tokenOf(console)).to.equal(null)
    await console.isSound(REFUSED)
    await fill(console, 'alice', PASSWORD)
    await console.heading('Plugins')
    await page.reload()
    await console.heading('Plugins')
    for (const [link, heading] of [
      ['Overview', 'Overview'],
      ['Log', 'Log'],
      ['Metrics', 'Metrics'],
    ] as const) {
      await page.getByRole('link', { name: link }).click()
      await console.heading(heading)
    }
    await console.row('sluice_streams').waitFor()
    const token = await tokenOf(console)
    if (token === null) throw new Error('there is no token')
    await console.button('Account').click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByLabel('User name').waitFor()
    expect(await tokenOf(console)).to.equal(null)
    const { status } = await server.api('/api/stream/list', { headers: { 'access-token': token } })
    expect(status).to.equal(401)
    expect(asked.filter((url) => url.includes('/api/'))).not.to.eql([])
    expect(asked.filter((url) => url.includes(token) || /token=|password|horse/u.test(url))).to.eql([])
  })

  it('shows a user who may look nothing that changes, and the server would refuse it', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'plugins/rtmp', { colorScheme: 'dark' })
    const { page } = console
    await fill(console, 'bob', PASSWORD)
    await console.heading('rtmp')
    await console.text(`TCP :${server.rtmpPort}`)
    expect(await console.button('Switch off').count()).to.equal(0)
    expect(await console.button('Reload').count()).to.equal(0)
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('textbox', { name: 'Search tasks' }).fill('rtmp')
    await page.getByRole('treeitem').filter({ hasText: 'listeners' }).waitFor()
    expect(await page.getByRole('button', { name: /^(?:Stop|Restart)/u }).count()).to.equal(0)
    await page.getByRole('link', { name: 'Users and tokens' }).click()
    await console.text('Users and tokens are for admins.')
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await console.text('The log is for admins.')
    await console.isSound(REFUSED)
    const headers = { 'access-token': (await tokenOf(console)) ?? '', 'content-type': 'application/json' }
    const body = JSON.stringify({ enable: false })
    expect((await server.api('/config/rtmp', { method: 'PUT', headers, body })).status).to.equal(403)
    expect((await server.api('/api/log/sse', { headers })).status).to.equal(403)
  })
})
