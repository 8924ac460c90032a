import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const INJECTION = '<img src=x onerror=alert(1)>'
const CONFIG = `
global: {publish: {key: hush-of-file}}
srt: {passphrases: {'${INJECTION}': hush-of-the-camera}}
`

describe("the config's pages in Chromium", () => {
  let browser: Browser
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'chromium')
    browser = await openChromium()
    server = await startServer({ config: CONFIG })
  })

  const open = (path: string, on = server) => ConsolePage.open(browser, on.http('/admin/'), path)

  it("let an operator find a key, hear the server's objection, see what is to change, save it, and take it back", async () => {
    const console = await open('config')
    await console.heading('Config')
    await console.page.getByLabel('Find a section').fill('rtm')
    await console.page.getByRole('link', { name: /^rtmp/u }).click()
    await console.heading('rtmp')
    await console.page.getByLabel('Find a key').fill('chunk')
    const size = console.page.getByLabel('Chunk size', { exact: true })
    await size.fill('5')
    await console.text('expected an integer from 128 to 16777215, found 5')
    await size.fill('4096')
    await console.button('Review and save').click()
    const change = console.page.getByRole('dialog').getByRole('row').filter({ hasText: 'chunksize' })
    expect((await change.innerText()).split(/\s+/u).join(' ')).to.equal(
      'Chunk size chunksize 65536 plugin 4096 at once',
    )
    await console.isSound()
    await console.button('Save').click()
    await closed(console)
    expect(await valueOf(server, 'rtmp', 'chunksize')).to.eql([4096, 'modify'])

    await console.page.getByRole('button', { name: 'Source: run time' }).hover()
    await console.text(/^plugin: 65536 \(plugin rtmp\)$/u)
    await console.button('Take back what was set for Chunk size').click()
    await save(console)
    await console.page.getByRole('button', { name: 'Source: plugin' }).waitFor()
    expect(await valueOf(server, 'rtmp', 'chunksize')).to.eql([65_536, 'plugin'])
  })

  it('make inherited keys only when they are opened, and let them be overridden and given back', async () => {
    const console = await open('config/flv')
    await console.heading('flv')
    const group = console.page.getByRole('button', { name: 'Publish as in global' })
    const limit = console.page.locator('[id="key-publish.maxcount"]')
    await group.waitFor()
    expect(await limit.count()).to.equal(0)
    await group.click()
    await limit.fill('7')
    await save(console)
    await console.page.getByRole('button', { name: 'Publish as in global 1 set here' }).waitFor()
    expect(await valueOf(server, 'flv', 'publish.maxcount')).to.eql([7, 'modify'])

    await console.goTo('config')
    await console.page.getByRole('link', { name: 'flv changed at run time on' }).click()
    await console.confirm(console.button('Take back all changes'))
    await console.text('All changes were taken back')
    expect(await valueOf(server, 'flv', 'publish.maxcount')).to.eql([0, 'default'])
  })

  it('send a secret when it was changed and only then, and are never sent one', async () => {
    const console = await open('config/global')
    const sent: string[] = []
    const received: Promise<string>[] = []
    console.page.on('request', (request) => sent.push(request.postData() ?? ''))
    console.page.on('response', (response) => received.push(response.text().catch(() => '')))
    await console.button(/^Publish/u).click()
    const key = console.page.locator('[id="key-publish.key"]')
    expect(await key.getAttribute('type')).to.equal('password')
    expect(await key.inputValue()).to.equal('')
    expect(await key.getAttribute('placeholder')).to.equal('A secret is set; type to replace it')

    await console.page.locator('[id="key-publish.maxcount"]').fill('3')
    await save(console)
    expect(await valueOf(server, 'global', 'publish.maxcount')).to.eql([3, 'modify'])
    expect(sent.join('\n')).to.include('maxcount').and.not.include('***').and.not.include('"key"')

    await key.fill('hush-of-the-page')
    await console.button('Review and save').click()
    const dialog = console.page.getByRole('dialog')
    await dialog.getByText('a secret').first().waitFor()
    expect(await dialog.innerText()).not.to.include('hush')
    await console.button('Save').click()
    await closed(console)
    expect(await valueOf(server, 'global', 'publish.key')).to.eql(['******', 'modify'])
    expect(await storedValue(server, 'global', 'publish.key')).to.equal('hush-of-the-page')
    expect((await Promise.all(received)).join('\n')).not.to.include('hush')
  })

  it('say when somebody else was faster, and keep what was typed', async () => {
    const console = await open('config/rtsp')
    const timeout = console.page.getByLabel('Session timeout', { exact: true })
    await timeout.fill('45s')
    await put(server, 'rtsp', { config: { loglevel: 'warn' } })
    await console.button('Review and save').click()
    await console.button('Save').click()
    await console.text('Somebody else has changed this section meanwhile')
    await console.button('Load again').click()
    await console.button('Save').click()
    await closed(console)
    expect(await valueOf(server, 'rtsp', 'sessiontimeout')).to.eql(['45s', 'modify'])
    expect(await valueOf(server, 'rtsp', 'loglevel')).to.eql(['warn', 'modify'])
  })

  it('show keys and values that an operator chose as texts, and add rules to maps', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const console = await ConsolePage.open(browser, server.http('/admin/'), 'config/srt', { colorScheme })
      await console.text(`1 entry: ${INJECTION}`)
      await console.button('Edit: Passphrases').click()
      expect(await console.page.getByLabel('Key 1', { exact: true }).inputValue()).to.equal(INJECTION)
      await console.isSound()
    }
    const console = await open('config/srt')
    await console.button('Edit: Passphrases').click()
    await console.button('Add an entry').click()
    await console.page.getByLabel('Key 2', { exact: true }).fill('live/b.c')
    await console.page.getByLabel('Value').nth(1).fill('hush-of-another')
    await save(console)
    await console.text(`2 entries: ${INJECTION}, live/b.c`)
    // The secret that was not changed is the one that it was.
    expect(await storedValue(server, 'srt', 'passphrases')).to.eql({
      [INJECTION]: 'hush-of-the-camera',
      'live/b.c': 'hush-of-another',
    })
  })

  it('offer the lines for the file, and a setting for now, where the database is away', async () => {
    const away = await startServer({ config: 'global: {db: {dsn: /nowhere/at/all.db}}' })
    // The file of SQLite is opened by the first thing that needs it.
    expect((await put(away, 'rtmp', { chunksize: 4096 })).status).to.equal(503)
    const console = await open('config/rtmp', away)
    await console.text('Changes can not be kept: the database is away')
    await console.page.getByLabel('Chunk size', { exact: true }).fill('8192')
    await console.button('Publish as in global').click()
    await console.page.locator('[id="key-publish.key"]').fill('my "key"')
    await console.button('Review and save').click()
    const lines = console.page.getByLabel('Put these lines into the config file')
    expect(await lines.inputValue()).to.equal('rtmp:\n  chunksize: 8192\n  publish:\n    key: "my \\"key\\""\n')
    expect(await console.button('Save').count()).to.equal(0)
    await console.isSound()
    await console.button('Set until the server ends').click()
    await closed(console)
    expect(await valueOf(away, 'rtmp', 'chunksize')).to.eql([8192, 'modify'])
  })

  it('let a user without the right to change look only', async () => {
    const user = '{username: eve, password: eve-may-look-around, role: user}'
    const guarded = await startServer({ config: `global: {admin: {enablelogin: true, users: [${user}]}}` })
    const console = await open('config/rtmp', guarded)
    await console.page.getByLabel('User name').fill('eve')
    await console.page.getByRole('textbox', { name: 'Password' }).fill('eve-may-look-around')
    await console.button('Log in').click()
    await console.heading('rtmp')
    const size = console.page.getByLabel('Chunk size', { exact: true })
    expect(await size.inputValue()).to.equal('65536')
    const inputs = console.page.locator('main').locator('input:not([type=search]), select, textarea')
    for (const input of await inputs.all()) expect(await input.isDisabled()).to.equal(true)
  })
})

async function save(console: ConsolePage): Promise<void> {
  await console.button('Review and save').click()
  await console.button('Save').click()
  await closed(console)
}

/** Waits until the review of the changes is closed, which it is when they are saved. */
function closed(console: ConsolePage): Promise<void> {
  return console.page.getByRole('dialog').waitFor({ state: 'detached' })
}

type View = { readonly config: unknown; readonly sources: Readonly<Record<string, string>> }

/** A value of a section, and its source. */
async function valueOf(server: RunningServer, section: string, key: string): Promise<unknown[]> {
  const { config, sources } = (await server.api(`/config/${section}`)).body.data as View
  const value = key.split('.').reduce((one, name) => (one as Readonly<Record<string, unknown>>)[name], config)
  return [value, sources[key]]
}

function put(server: RunningServer, section: string, body: unknown) {
  return server.api(`/config/${section}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** A value that was set at run time as it is stored, secrets not masked. */
async function storedValue(server: RunningServer, section: string, key: string): Promise<unknown> {
  const copy = await readFile(path.join(server.folder, 'data', 'config-at-run-time.json'), 'utf8')
  const { values } = JSON.parse(copy) as {
    readonly values: readonly { section: string; path: string; value: unknown }[]
  }
  return values.find((one) => one.section === section && one.path === key)?.value
}
