import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { FlvViewer } from '../../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const DEMO = 'live/<img src=x onerror=alert(1)>'

describe('the overview of the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({
      env: { SLUICE_DEMO_ENABLE: 'true', SLUICE_DEMO_STREAMPATH: DEMO, SLUICE_SRT_LISTENADDR: '203.0.113.9:1' },
      config: 'global: { hook: { publish_start: { savealarm: true } } }',
    })
    browser = await openChromium()
  })

  it('follows streams and viewers, and says what does not run and what has happened', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'overview')
    const { page } = console
    await page.getByRole('img', { name: 'Streams. Streams: 1' }).waitFor()
    await page.getByRole('img', { name: 'Viewers. Viewers: 0' }).waitFor()
    await page.getByRole('img', { name: /^Media\. in: [\d.]+ [kM]bit\/s, out: 0 bit\/s$/u }).waitFor()
    await console.text('Nobody watches at present.')
    const viewer = new FlvViewer(server.http(`/flv/${encodeURIComponent(DEMO)}.flv`))
    await viewer.received.wait(1)
    await page.getByRole('img', { name: 'Viewers. Viewers: 1' }).waitFor()
    await page.getByRole('img', { name: /out: [1-9][\d.]* [kM]bit\/s$/u }).waitFor()
    await console
      .row(DEMO)
      .getByText(/bit\/s/u)
      .waitFor()
    await console.text('publish_start')
    await page.getByText(/203\.0\.113\.9/u).waitFor()
    await console.isSound()
    viewer.close()
    await page.getByRole('img', { name: 'Viewers. Viewers: 0' }).waitFor()
  })

  it('goes on with its graphs when other pages were open, and is sound in the dark and in Chinese', async () => {
    const options = { colorScheme: 'dark', locale: 'zh-CN' } as const
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'overview', options)
    await console.page.getByRole('img', { name: /流: 1$/u }).waitFor()
    await console.isSound()
    const asked: string[] = []
    console.page.on('request', (request) => asked.push(request.url()))
    await console.page.getByRole('link', { name: '插件', exact: true }).click()
    await console.heading('插件')
    await console.page.getByRole('link', { name: '概览' }).click()
    // Before the server is asked again, the graph has what it had.
    await console.page.getByRole('img', { name: /流: 1$/u }).waitFor()
    await waitFor(() => asked.some((url) => url.endsWith('/api/load/sse?interval=2s')))
  })
})
