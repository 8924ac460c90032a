import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { createTestServer } from 'sluice/testing'
import { openChromium } from '../../peers/chromium.ts'
import { keep } from '../../peers/lifetime.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { blocksOf } from '../../support/doc-blocks.ts'
import plugin from './index.ts'

type Entry = { readonly pages?: readonly { readonly url: string; readonly title: string; readonly icon?: string }[] }

describe('a plugin with a built page', () => {
  it('has it at each of its addresses, with its styles, and nothing is refused by the policy', async function () {
    requirePeer(this, 'chromium')
    const server = await createTestServer(plugin)
    keep({ close: () => server.stop() })
    const browser = await openChromium()
    for (const [address, shown] of [
      ['', ''],
      ['/', ''],
      ['/streams/live/cam.1?tab=2', 'streams/live/cam.1?tab=2'],
    ] as const) {
      const page = await browser.newPage()
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
          problems.push(message.text())
      })
      page.on('pageerror', ({ message }) => problems.push(message))
      await page.goto(`${server.origin}/panel${address}`)
      await page.locator('body[data-ready=yes]').waitFor()
      expect(await page.locator('body').innerText()).to.equal(`${shown}: 0 streams`)
      expect(await page.evaluate('getComputedStyle(document.body).color')).to.equal('rgb(1, 2, 3)')
      expect(problems).to.eql([])
      await page.close()
    }
    await browser.close()
  })

  it('is found by a menu, with its picture', async () => {
    const server = await createTestServer(plugin)
    keep({ close: () => server.stop() })
    const { data } = (await (await fetch(`${server.origin}/api/sysinfo`)).json()) as { data: { plugins: Entry[] } }
    const pages = data.plugins.flatMap((entry) => entry.pages ?? [])
    expect(pages).to.eql([{ url: '/panel/', title: 'Panel', icon: '/panel/icon.svg' }])
    for (const [address, type] of [
      [pages[0]?.url, 'text/html'],
      [pages[0]?.icon, 'image/svg+xml'],
    ] as const) {
      const answer = await fetch(server.origin + address)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-type')).to.include(type)
    }
  })

  it('is the plugin of docs/plugins/pages.md', async () => {
    const block = (await blocksOf('docs/plugins/pages.md', 'ts'))("name: 'panel'")
    expect(block).to.equal(await readFile(new URL('index.ts', import.meta.url), 'utf8'))
  })
})
