import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { createTestServer } from 'sluice/testing'
import { openChromium } from '../../peers/chromium.ts'
import { keep } from '../../peers/lifetime.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { blocksOf } from '../../support/doc-blocks.ts'
import plugin from './index.ts'

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

  it('is the plugin of docs/plugins/pages.md', async () => {
    const block = (await blocksOf('docs/plugins/pages.md', 'ts'))("name: 'panel'")
    expect(block).to.equal(await readFile(new URL('index.ts', import.meta.url), 'utf8'))
  })
})
