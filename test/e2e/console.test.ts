import type { Browser } from 'playwright-core'
import { openChromium } from '../peers/chromium.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { ConsolePage } from '../support/console-page.ts'
import { startServer, type RunningServer } from '../support/server.ts'

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
})
