import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { FlvViewer } from '../../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const STREAM = 'live/<b>bold</b>'

describe('the tasks on the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    const env = { SLUICE_DEMO_ENABLE: 'true', SLUICE_DEMO_STREAMPATH: STREAM, SLUICE_GLOBAL_TASKHISTORY: 'true' }
    server = await startServer({ env })
    browser = await openChromium()
  })

  it('are a tree that is walked by the keyboard', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'tasks')
    const item = (name: string | RegExp) => console.page.getByRole('treeitem', { name })
    const level = (name: string | RegExp) => item(name).getAttribute('aria-level')
    await item(/^server/u).focus()
    await item(/^demo/u).waitFor()
    await console.page.keyboard.press('End')
    // The last branch are the ports.
    await console.page.keyboard.press('ArrowRight')
    await console.page.keyboard.press('ArrowRight')
    expect(await console.page.evaluate('document.activeElement.getAttribute("aria-level")')).to.equal('3')
    await item(/^rtmp.*kind: listener/u).waitFor()
    await console.page.keyboard.press('ArrowLeft')
    await console.page.keyboard.press('ArrowLeft')
    await item(/kind: listener/u)
      .first()
      .waitFor({ state: 'detached' })
    expect(await level(/^listeners/u)).to.equal('2')
    await console.isSound()
  })

  it('are found, stopped, and told of when they have ended', async () => {
    const viewer = new FlvViewer(server.http(`/flv/${encodeURIComponent(STREAM)}.flv`))
    await viewer.received.wait(1)
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'tasks', { colorScheme: 'dark' })
    await console.page.getByRole('textbox', { name: 'Search tasks' }).fill('flv')
    const line = console.page.getByRole('treeitem', { level: 4 }).filter({ hasText: STREAM })
    expect(await line.getByRole('button', { name: /^Restart/u }).count()).to.equal(0)
    await console.confirm(line.getByRole('button', { name: /^Stop/u }))
    await console.text(`${STREAM} is stopped`)
    await waitFor(() => server.server.streams.get(STREAM)?.subscriberCount === 0)
    await console.isSound()
    await console.page.getByRole('tab', { name: 'Ended' }).click()
    await console.row(STREAM).getByText('stop by user').waitFor()
    await console.isSound()
  })
})
