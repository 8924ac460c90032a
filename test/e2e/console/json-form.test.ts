import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const PLUGIN = `
import { definePlugin, InvalidRequest, Type } from 'sluice/sdk'
const Settings = Type.Object({
  host: Type.String({ title: 'Host', minLength: 1 }),
  port: Type.Integer({ title: 'Port', minimum: 1, maximum: 65535, default: 80 }),
  secure: Type.Boolean({ title: 'Secure', default: false }),
  mode: Type.Union([Type.Literal('tcp'), Type.Literal('udp')], { title: 'Mode', default: 'tcp' }),
  password: Type.String({ title: 'Password', writeOnly: true, default: '' }),
  tags: Type.Array(Type.String(), { title: 'Tags', default: [] }),
  headers: Type.Record(Type.String(), Type.String(), { title: 'Headers', default: {} }),
  cameras: Type.Array(Type.Object({ name: Type.String({ title: 'Name' }), zoom: Type.Optional(Type.Number({ title: 'Zoom' })) }), { title: 'Cameras', default: [] }),
  extra: Type.Unsafe({ title: 'Extra' }),
})
export default definePlugin({
  name: 'watcher',
  version: '1.0.0',
  pages: [{ title: 'Settings', group: 'devices', form: { schema: Settings, read: 'api/settings', write: 'api/settings' } }],
  setup(ctx) {
    let held = { host: '<img src=x onerror=alert(1)>', port: 80, secure: false, mode: 'tcp', password: '', tags: [], headers: {}, cameras: [], extra: { a: 1 } }
    ctx.operations.add({ method: 'GET', path: 'api/settings', summary: 'Settings', answer: Settings, handle: () => held })
    ctx.operations.add({
      method: 'POST', path: 'api/settings', summary: 'Set', body: Settings,
      handle({ body }) {
        if (body.host === 'refused') throw new InvalidRequest('that host is refused')
        held = body
      },
    })
  },
})`

describe("a plugin's form in the console", () => {
  let browser: Browser
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'chromium')
    browser = await openChromium()
    server = await startServer({
      config: 'global: { plugins_dir: mine }\n',
      async prepare(folder) {
        await mkdir(path.join(folder, 'mine'))
        await writeFile(path.join(folder, 'mine/watcher.ts'), PLUGIN)
      },
    })
  })

  it('is made of its schema, checks what is typed, and sends it', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), '')
    await console.page.getByRole('link', { name: 'Settings' }).click()
    await console.heading('Settings')
    const { page } = console
    const host = page.getByLabel('Host')
    await host.waitFor()
    expect(await host.inputValue()).to.equal('<img src=x onerror=alert(1)>')

    await page.getByLabel('Port').fill('70000')
    await host.fill('')
    await console.button('Save').click()
    await console.text('must be 65535 or less')
    await console.text('may not be empty')
    await page.getByLabel('Port').fill('8443')
    await host.fill('refused')
    await page.getByLabel('Secure').check({ force: true })
    await page.getByLabel('Mode').selectOption('udp')
    await page.getByRole('textbox', { name: 'Password' }).fill('my secret')
    await page.getByRole('combobox', { name: 'Tags' }).fill('door')
    await page.getByRole('combobox', { name: 'Tags' }).press('Enter')
    const headers = page.getByRole('group', { name: 'Headers' })
    await headers.getByRole('button', { name: 'Add an entry' }).click()
    await headers.getByLabel('Key 1').fill('X-A.b')
    await headers.getByLabel('Value').fill('1')
    await headers.getByRole('button', { name: 'Add an entry' }).click()
    await headers.getByLabel('Key 2').fill('X-A.b')
    await console.text('There is such a key already')
    await headers.getByLabel('Key 2').fill('X-C')
    const cameras = page.getByRole('group', { name: 'Cameras' })
    await cameras.getByRole('button', { name: 'Add an entry' }).click()
    await cameras.getByLabel('Name').fill('front')
    await cameras.getByRole('button', { name: 'Add an entry' }).click()
    await cameras.getByLabel('Name').nth(1).fill('back')
    await cameras.getByRole('button', { name: 'Move Entry 2 up' }).click()
    await page.getByLabel('Extra').fill('{"b": [2]}')
    await console.isSound()
    await console.button('Save').click()
    await console.text('that host is refused')
    await host.fill('camera.example')
    await console.button('Save').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await server.api('/watcher/api/settings')).body.data).to.eql({
      host: 'camera.example',
      port: 8443,
      secure: true,
      mode: 'udp',
      password: 'my secret',
      tags: ['door'],
      headers: { 'X-A.b': '1', 'X-C': '' },
      cameras: [{ name: 'back' }, { name: 'front' }],
      extra: { b: [2] },
    })
  })
})
