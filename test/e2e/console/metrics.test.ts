import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const STREAM = 'live/<i>x</i>'

describe('the metrics on the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ env: { SLUICE_DEMO_ENABLE: 'true', SLUICE_DEMO_STREAMPATH: STREAM } })
    browser = await openChromium()
  })

  it('are found with their values, and drawn over time', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'metrics')
    const { page } = console
    await console.row('sluice_streams').getByRole('cell', { name: '1', exact: true }).waitFor()
    await console.isSound()
    await page.getByRole('textbox', { name: 'Search metrics' }).fill('received_bytes')
    const row = console.row('sluice_track_received_bytes_total')
    await row.getByRole('button', { name: 'Series' }).click()
    await row.getByText(`stream="${STREAM}"`).first().waitFor()
    expect(await console.row('sluice_streams').count()).to.equal(0)
    await page.getByLabel('Graph of sluice_received_bytes_total').check()
    await page.getByRole('img', { name: /^sluice_received_bytes_total\. .*: [1-9][\d.]* [KM]?B\/s/u }).waitFor()
    await console.isSound()
  })
})
