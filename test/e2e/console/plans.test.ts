import { expect } from 'chai'
import type { Browser, Locator } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { publish } from '../../peers/ffmpeg.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { post } from '../../support/recordings.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const EVIL = `<img src=x: onerror="document.title='evil'">`
const OFF = '0'.repeat(24)

type Plan = { readonly id: number; readonly name: string; readonly enable: boolean; readonly plan: string }

/** The hours of a day, from one to another. */
function day(from: number, to: number): string {
  return OFF.slice(0, from) + '1'.repeat(to - from) + OFF.slice(to)
}

describe('the page of plans in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer()
    browser = await openChromium()
  })

  async function plans(): Promise<Plan[]> {
    return (await server.api('/plan/api/list')).body.data as Plan[]
  }

  function cell({ page }: ConsolePage, name: string): Locator {
    return page.getByRole('gridcell', { name })
  }

  async function drag(console: ConsolePage, from: string, to: string): Promise<void> {
    await cell(console, from).hover()
    await console.page.mouse.down()
    await cell(console, to).hover()
    await console.page.mouse.up()
  }

  it('paints a plan by the pointer, the keyboard and the heads, and the server has it', async () => {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'crontab/plans')
    await console.button('Add a plan').click()
    await console.heading('New plan')
    await console.page.getByLabel('Name').fill(EVIL)
    await drag(console, 'Monday 08:00–09:00', 'Wednesday 11:00–12:00')
    // Painting begins with an hour that is on, and so turns hours off.
    await drag(console, 'Tuesday 09:00–10:00', 'Tuesday 10:00–11:00')
    await cell(console, 'Friday 20:00–21:00, off').focus()
    await console.page.keyboard.press('Space')
    await console.page.keyboard.press('Shift+ArrowRight')
    await cell(console, 'Friday 21:00–22:00, on').waitFor()
    await console.button('Saturday, whole day').click()
    await console.button('05:00–06:00, every day').click()
    await console.button('05:00–06:00, every day').click()
    await console.button('Copy a day').click()
    await console.page.getByRole('checkbox', { name: 'Sunday' }).check()
    await console.button('Copy').click()
    await console.text('Mon 08:00–12:00; Tue 08:00–09:00, 11:00–12:00; Wed 08:00–12:00')
    await console.isSound()
    await console.button('Save').click()
    await console.heading(EVIL)

    const added = (await plans()).find(({ name }) => name === EVIL)
    const morning = day(8, 12)
    // The hour that was turned on and off for all is off on Saturday, too.
    const saturday = `111110${'1'.repeat(18)}`
    const tuesday = `${OFF.slice(0, 8)}1001${OFF.slice(12)}`
    expect(added?.plan).to.equal([morning, morning, tuesday, morning, OFF, day(20, 22), saturday].join(''))
    expect(added?.enable).to.equal(true)
    expect(await console.page.title()).to.equal(`${EVIL} – Sluice`)
  })

  it('is sound in light and dark, and lies the other way round on a phone', async () => {
    const [plan] = await plans()
    for (const colorScheme of ['light', 'dark'] as const) {
      const options = { colorScheme, viewport: { width: 390, height: 800 } }
      const console = await ConsolePage.open(browser, server.http('/admin/'), `crontab/plans/${plan?.id}`, options)
      await console.page.getByRole('columnheader', { name: 'Monday, whole day' }).waitFor()
      await console.isSound()
      const width = await console.page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width).to.equal(390)
      await console.goTo('crontab/plans')
      await console.heading('Plans')
      await console.isSound()
    }
  })

  it('turns plans off, renames and deletes them', async () => {
    const id = ((await post(server, '/plan/api/add', { name: 'office', enable: true, plan: OFF.repeat(7) })) as Plan).id
    const office = async () => (await plans()).find((plan) => plan.id === id)
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'crontab/plans')
    await console.page.getByRole('switch', { name: 'office is on' }).waitFor({ state: 'attached' })
    await console.row('office').locator('label').click()
    await waitFor(async () => (await office())?.enable === false)
    await console.row('office').click()
    await console.page.getByLabel('Name').fill('shop')
    await console.button('Working hours').click()
    await console.button('Save').click()
    await console.heading('shop')
    const work = day(8, 18)
    expect(await office()).to.include({ name: 'shop', plan: [OFF, work, work, work, work, work, OFF].join('') })
    await console.confirm(console.button('Delete plan'))
    await console.heading('Plans')
    expect(await office()).to.equal(undefined)
    expect(console.problems).to.eql([])
  })

  it('records streams of a plan, and says which are recorded now', async function () {
    requirePeer(this, 'ffmpeg')
    const week = '1'.repeat(168)
    const id = ((await post(server, '/plan/api/add', { name: 'all', enable: true, plan: week })) as Plan).id
    const source = publish({ url: server.rtmp('live/door'), durationSeconds: 600 })
    const console = await ConsolePage.open(browser, server.http('/admin/'), `crontab/plans/${id}`)
    await console.button('Add a stream').click()
    const dialog = console.page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Stream' }).fill('live/door')
    await dialog.getByLabel('Folder').fill('planned')
    await dialog.getByRole('button', { name: 'Add a stream' }).click()
    const row = console.row('live/door')
    await row.getByText('being recorded').waitFor()
    await console.confirm(console.button('Remove live/door'))
    await console.text('This plan records no streams.')
    const { body } = await server.api(`/planstream/api/list?planId=${id}`)
    expect(body.data).to.eql([])
    expect(console.problems).to.eql([])
    source.signal('SIGTERM')
  })
})
