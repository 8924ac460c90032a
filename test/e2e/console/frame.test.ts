import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { Nginx } from '../../peers/nginx.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const BROWSER = { headers: { accept: 'text/html' } }
/** The bound of the first load, compressed by gzip. */
const FIRST_LOAD_BYTES = 250 * 1024

describe('the administration page in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer()
    browser = await openChromium()
  })

  it('opens at its address with a menu, and is sound in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const console = await ConsolePage.open(browser, server.http('/admin/'), '', { colorScheme })
      await console.heading('Overview')
      await console.isSound()
    }
  })

  it('is there on a phone, where the menu opens by a button', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'streams', {
      viewport: { width: 390, height: 780 },
    })
    await console.heading('Streams')
    const link = console.page.getByRole('link', { name: 'Plugins' })
    expect(await link.isVisible()).to.equal(false)
    await console.button('Menu').click()
    await link.click()
    await console.heading('Plugins')
    expect(await link.isVisible()).to.equal(false)
    const width = await console.page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).to.equal(390)
  })

  it('speaks the language of the browser, or that which was chosen', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), '', { locale: 'zh-CN' })
    await console.page.getByRole('link', { name: '概览' }).waitFor()
    expect(await console.page.getAttribute('html', 'lang')).to.equal('zh-CN')
    await console.button('语言').click()
    await console.page.getByRole('menuitem', { name: 'English' }).click()
    await console.page.getByRole('link', { name: 'Overview' }).waitFor()
    await console.page.reload()
    await console.page.getByRole('link', { name: 'Overview' }).waitFor()
  })

  it('is reached by the keyboard alone', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'plugins')
    await console.heading('Plugins')
    await console.page.keyboard.press('Tab')
    await console.page.keyboard.press('Enter')
    expect(await console.page.evaluate<string>('document.activeElement.id')).to.equal('contents')
    await console.page.getByRole('link', { name: 'Overview' }).focus()
    await console.page.keyboard.press('Enter')
    await console.heading('Overview')
  })

  it('says that there is no such page, and goes on', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'nothing/here')
    await console.heading('There is no such page')
    await console.page.getByRole('link', { name: 'Plugins' }).click()
    await console.heading('Plugins')
  })

  it('is no more than 250 KB at first, compressed', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'))
    await console.heading('Overview')
    const loaded = await console.page.evaluate<{ name: string; encodedBodySize: number }[]>(
      `performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
    )
    const files = loaded.filter(({ name }) => name.includes('/admin/'))
    expect(files.length).to.be.greaterThan(3)
    let bytes = 0
    for (const { name } of files) {
      const { headers } = await fetch(name, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
      bytes += Number(headers.get('content-length'))
    }
    expect(bytes).to.be.lessThan(FIRST_LOAD_BYTES)
  })

  it('runs below a path of a reverse proxy', async function () {
    requirePeer(this, 'nginx')
    // With login off, a proxy is no client on this machine.
    const nginx = await Nginx.start(
      (port) => `server {
  listen 127.0.0.1:${port};
  location /media/server/ { proxy_pass http://127.0.0.1:${server.httpPort}/; }
}`,
    )
    const console = await ConsolePage.open(browser, nginx.http('/media/server/admin/'), 'plugins')
    await console.heading('Plugins')
    await console.page.getByRole('link', { name: 'Streams' }).click()
    await console.heading('Streams')
    expect(console.page.url()).to.equal(nginx.http('/media/server/admin/streams'))
    await console.page.reload()
    await console.heading('Streams')
    expect(console.problems).to.eql([])
  })

  it('can be framed by no page, and runs no script but its own', async () => {
    const { headers } = await fetch(server.http('/admin/'), BROWSER)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).to.include("frame-ancestors 'none'").and.include("default-src 'none'")
    expect(/script-src ([^;]*)/u.exec(policy)?.[1]).to.match(/^'self' 'sha256-[\w+/]+='$/u)
    expect(policy).not.to.include('unsafe')
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'overview')
    await console.heading('Overview')
    await console.page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'document.title = "evil"'
      document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src="x:" onerror="document.title = \\'evil\\'">')
    }`)
    const refused = () => console.problems.filter((problem) => problem.includes('Content Security Policy'))
    await waitFor(() => refused().length >= 2, { what: 'both scripts to be refused' })
    expect(await console.page.title()).not.to.equal('evil')
  })

  it('is not there when it is off', async () => {
    const without = await startServer({ env: { SLUICE_CONSOLE_ENABLE: 'false' } })
    for (const url of ['/admin/', '/admin/icon.svg', '/console/']) {
      expect((await fetch(without.http(url), BROWSER)).status, url).to.be.oneOf([404, 503])
    }
    await without.stop()
  })
})
