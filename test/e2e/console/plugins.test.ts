import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const EVIL = '<img src=x onerror="document.title=1">'
const BROKEN = `
import { definePlugin } from 'sluice/sdk'
export default definePlugin({
  name: 'broken',
  version: '0.1.0',
  description: ${JSON.stringify(EVIL)},
  setup() { throw new Error('no luck at all') },
})
`

async function putPlugin(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'plugins'))
  await writeFile(path.join(folder, 'plugins', 'broken.ts'), BROKEN)
}

describe('the plugins on the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ config: 'global: { plugins_dir: plugins }', prepare: putPlugin })
    browser = await openChromium()
  })

  const view = (name: string) => server.server.host.list().find((plugin) => plugin.name === name)

  it('are listed with their states, and searched', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'plugins')
    await console.row('broken').getByText('failed', { exact: true }).waitFor()
    await console.row('broken').getByText('no luck at all').waitFor()
    await console.row('broken').getByText(EVIL).waitFor()
    await console.row('rtmp').getByText(`TCP :${server.rtmpPort}`).waitFor()
    await console.isSound()
    await console.page.getByRole('textbox', { name: 'Search plugins' }).fill('Weekly PLANS')
    await console.row('broken').waitFor({ state: 'detached' })
    expect(await console.page.getByRole('row').count()).to.equal(2)
    await console.row('crontab').press('Enter')
    await console.heading('crontab')
  })

  it('are switched off and on, and reloaded', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'plugins/flv', { colorScheme: 'dark' })
    await console.heading('flv')
    await console.text(/\/flv\/\{streamPath\}\.flv/u)
    await console.isSound()
    const { generation = 0 } = view('flv') ?? {}
    await console.button('Reload').click()
    await console.text('flv is reloaded')
    await waitFor(() => view('flv')?.generation === generation + 1)
    await console.confirm(console.button('Switch off'))
    await console.text('flv is switched off')
    await console.text('switched off in the config')
    expect(view('flv')?.state).to.equal('off')
    await console.button('Switch on').click()
    await console.button('Reload').waitFor()
    expect(view('flv')?.state).to.equal('running')
  })
})
