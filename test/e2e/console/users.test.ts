import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const EVIL = '<img src=x onerror="document.title=1">'

describe('users and tokens on the administration page', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer()
    browser = await openChromium()
  })

  const listed = async (what: 'user' | 'token') => (await server.api(`/api/${what}/list`)).body.data as object[]

  it('has users, who are added, changed and removed', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'users')
    const { page } = console
    await console.text('Login is off')
    await console.text('admin.enablelogin')
    const add = async (name: string, password: string) => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByLabel('Password', { exact: false }).first().fill(password)
      await console.button('Add user').click()
    }
    await add('alice', 'short')
    await console.text(/8 to 1024 bytes/u)
    expect(await listed('user')).to.eql([])
    await add('alice', 'correct horse')
    await console.row('alice').waitFor()
    await console.isSound(/status of 400/u)
    await page.getByLabel('Role of alice').selectOption('admin')
    await console.text('The role of alice is changed')
    expect((await listed('user'))[0]).to.include({ username: 'alice', role: 'admin' })
    await console.button('Change password').click()
    await page.getByLabel('New password').fill('battery staple')
    await console.isSound(/status of 400/u)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await console.text('The password of alice is changed')
    await console.confirm(console.button('Remove alice'))
    await console.text('There is no user yet.')
    expect(await listed('user')).to.eql([])
  })

  it('has tokens of programs, each of which is shown once', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'users', { colorScheme: 'dark' })
    const { page } = console
    await page.getByLabel('What uses it').fill(EVIL)
    await page.getByLabel('Valid').selectOption('90 days')
    await console.button('Add token').click()
    const token = await page.getByLabel('The new token').inputValue()
    expect(token).to.match(/^sluice_/u)
    await console.row(EVIL).getByText('never').waitFor()
    await console.isSound()
    expect((await listed('token'))[0]).to.include({ name: EVIL, role: 'user' })
    await console.button('Done').click()
    await page.reload()
    await console.row(EVIL).waitFor()
    expect(await page.content()).not.to.include(token)
    await console.confirm(console.button(`Remove ${EVIL}`))
    await console.text('There is no token.')
    expect(await listed('token')).to.eql([])
  })
})
