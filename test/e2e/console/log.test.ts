import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const EVIL = '<img src=x onerror="document.title=1">'
/** A plugin that says in the log what it is told to. */
const TALKER = `
import { definePlugin, Type } from 'sluice/sdk'
export default definePlugin({
  name: 'talker',
  version: '1.0.0',
  setup({ operations, log }) {
    const body = Type.Object({ level: Type.String(), text: Type.String() })
    operations.add({ method: 'POST', path: 'api/say', summary: 'Say', body, handle({ body: { level, text } }) {
      log[level]({ err: new Error('why ' + text), password: 'hush' }, text)
    } })
  },
})
`

async function putPlugin(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'plugins'))
  await writeFile(path.join(folder, 'plugins', 'talker.ts'), TALKER)
}

describe('the log on the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ config: 'global: { plugins_dir: plugins }', prepare: putPlugin })
    browser = await openChromium()
  })

  const say = (level: string, text: string) =>
    server.api('/talker/api/say', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ level, text }),
    })

  it('has the lines from before and those that come, all as text, and opens them', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'log')
    const line = (text: string) => console.page.getByRole('button', { name: text })
    await line('the server is up').waitFor()
    await say('error', EVIL)
    await line(EVIL).click()
    await console.text(`Error: why ${EVIL}`)
    await console.text('password: ***')
    await console.isSound()
    // It follows its end.
    for (let number = 0; number < 60; number++) await say('info', `line ${number}.`)
    await line('line 59.').waitFor()
    await console.page.waitForFunction(
      `(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight > clientHeight && scrollTop + clientHeight > scrollHeight - 30)(
        document.querySelector('[role=region]'))`,
    )
  })

  it('is filtered, paused and cleared', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'log', { colorScheme: 'dark' })
    const { page } = console
    const line = (text: string) => page.getByRole('button', { name: text })
    await line('the server is up').waitFor()
    await page.getByLabel('Lowest level').selectOption('warn')
    await line('the server is up').waitFor({ state: 'detached' })
    await page.getByLabel('Plugin').selectOption('talker')
    const asked = page.waitForRequest((request) => request.url().includes('search=APPLE'))
    await page.getByLabel('Text', { exact: true }).fill('APPLE')
    await asked
    await say('warn', 'a pear')
    await say('info', 'an apple of no weight')
    await say('warn', 'an apple')
    await line('an apple').waitFor()
    expect(await line('a pear').count()).to.equal(0)
    expect(await line('no weight').count()).to.equal(0)
    await console.button('Pause').click()
    await say('warn', 'a second apple')
    await console.button('Go on (1 new)').waitFor()
    expect(await line('a second apple').count()).to.equal(0)
    await console.isSound()
    await console.button('Go on (1 new)').click()
    await line('a second apple').waitFor()
    await console.button('Clear').click()
    await line('an apple').waitFor({ state: 'detached' })
    await say('error', 'a last apple')
    await line('a last apple').waitFor()
  })
})
