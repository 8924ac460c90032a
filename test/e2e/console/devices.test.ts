import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { GbDevice } from '../../../plugins/gb28181/device/index.ts'
import { clipOf, GbRig } from '../../../plugins/gb28181/fixtures/rig.ts'
import { openChromium } from '../../peers/chromium.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'

const INJECTION = '<img src=x onerror="document.title=1">'
const DOOR = '34020000001310000101'
const YARD = '34020000001310000102'
const OTHER = '34020000001320000055'
const HOUR_MS = 3_600_000
/** Noon of today: recordings of the hours before it are of one day. */
const NOON_MS = new Date().setHours(12, 0, 0, 0)
const STILL = { pan: 0, tilt: 0, zoom: 0 }

describe('the page of devices in Chromium', () => {
  let rig: GbRig
  let device: GbDevice
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'ffmpeg')
    rig = await GbRig.start({ config: ['publish: { delayclosetimeout: 300ms, idletimeout: 2m }'] })
    browser = await openChromium()
    device = await rig.registered({
      name: INJECTION,
      version: '3.0',
      channels: [
        { id: DOOR, name: 'Door' },
        { id: YARD, name: INJECTION },
      ],
      source: await clipOf(),
      recordings: [{ start: new Date(NOON_MS - 2 * HOUR_MS), end: new Date(NOON_MS - HOUR_MS), channelId: DOOR }],
    })
  })

  const open = (path = '', options: BrowserContextOptions = {}) =>
    ConsolePage.open(browser, rig.server.http('/admin/'), `gb28181/devices${path}`, options)
  const item = ({ page }: ConsolePage, name: string | RegExp) => page.getByRole('treeitem', { name })
  const tab = ({ page }: ConsolePage, name: string) => page.getByRole('tab', { name }).click()

  it('lists devices with their channels, which play in the wall, also after a reload', async () => {
    const console = await open()
    await item(console, /2 ch. · Online/u).dblclick()
    await item(console, 'Door').dblclick()
    await console.page.getByRole('group', { name: 'Cell 1: Door' }).waitFor()
    await console.plays()
    await item(console, /Door.*In use/u).waitFor()
    await item(console, 'Door').dragTo(console.page.getByRole('group', { name: 'Cell 4' }))
    await console.page.getByRole('group', { name: 'Cell 4: Door' }).waitFor()
    await console.page.reload()
    await console.plays()
    await console.page.getByRole('group', { name: 'Cell 4: Door' }).waitFor()
    await console.button('Close Door').click()
    await waitFor(() => device.sessions.length === 0)
  })

  it('moves a camera while it is told to, and has it stop however that ends', async () => {
    const console = await open(`/${device.id}/${DOOR}`)
    const { keyboard, mouse } = console.page
    const camera = device.state(DOOR).frontEnd
    const movesLeft = () => waitFor(() => camera.motion.pan < 0)
    const stops = () => waitFor(() => isDeepStrictEqual(camera.motion, STILL))
    const press = async () => {
      await console.button('Left').hover()
      await mouse.down()
      await movesLeft()
    }
    await press()
    await mouse.up()
    await stops()

    await press()
    await mouse.move(0, 0)
    await stops()
    await mouse.up()

    await console.page.getByRole('group', { name: 'Directions' }).focus()
    await keyboard.down('ArrowLeft')
    await keyboard.down('ArrowUp')
    await waitFor(() => camera.motion.pan < 0 && camera.motion.tilt > 0)
    await keyboard.up('ArrowUp')
    await keyboard.up('ArrowLeft')
    await stops()

    await console.button('Zoom in').focus()
    await keyboard.down('Enter')
    await waitFor(() => camera.motion.zoom > 0)
    await keyboard.up('Enter')
    await stops()

    await press()
    await console.page.evaluate(`window.dispatchEvent(new Event('blur'))`)
    await stops()

    await press()
    await console.page.close({ runBeforeUnload: true })
    await stops()
  })

  it('sets presets, and has the camera go there', async () => {
    const console = await open(`/${device.id}/${DOOR}`)
    await console.page.getByLabel('Preset number').fill('7')
    await console.page.getByLabel('Name', { exact: true }).fill('Entry')
    await console.button('Set here').click()
    await console.text('Preset 7 is where the camera looks now.')
    await console.button(/^Go to (?:7|Preset 7)/u).click()
    await waitFor(() => device.state(DOOR).frontEnd.calledPreset === 7)
  })

  it('plays what a device has recorded, steers it, and ends it with the page', async () => {
    const console = await open(`/${device.id}/${DOOR}`)
    await tab(console, 'Recordings')
    await console.button('Play from 10:00:00').click()
    await console.plays()
    await console.text(/Played time 10:00:\d\d/u)
    await console.button('Pause').click()
    await console.button('Resume').click()
    await console.plays()
    await console.page.getByRole('slider', { name: 'Recordings of the day' }).focus()
    await console.page.keyboard.press('Shift+ArrowRight')
    await console.page.keyboard.press('Enter')
    await console.text(/Played time 10:1\d:\d\d/u)
    await tab(console, 'Device')
    await waitFor(() => device.sessions.length === 0)
  })

  it('downloads a part of a recording', async () => {
    const console = await open(`/${device.id}/${DOOR}`)
    await tab(console, 'Recordings')
    await console.page.getByLabel('From').fill('10:00:00')
    await console.page.getByLabel('To', { exact: true }).fill('10:00:08')
    await console.button('Download').click()
    const link = await console.page.getByRole('link', { name: /Save the file/u }).getAttribute('href')
    const file = await fetch(rig.server.http(link ?? ''))
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 4, 8)).to.equal('ftyp')
  })

  it('shows names and alarms as text, and is sound in light and dark', async () => {
    await device.alarm({ channelId: DOOR, method: 5, type: 2, priority: 1, description: INJECTION })
    for (const colorScheme of ['light', 'dark'] as const) {
      const console = await open(`/${device.id}/${YARD}`, { colorScheme })
      await console.page.getByRole('heading', { name: INJECTION }).waitFor()
      await item(console, 'Door').waitFor()
      await console.isSound()
      for (const name of ['Recordings', 'Device', 'Alarms']) {
        await tab(console, name)
        await console.isSound()
      }
      await console.row('Video, motion').getByText(INJECTION).waitFor()
      await console.isSound()
    }
  })

  it('puts channels into groups', async () => {
    const console = await open(`/${device.id}`)
    const act = async (name: string) => {
      await console.button('Groups and channels').click()
      await console.page.getByRole('menuitem', { name }).click()
    }
    await item(console, 'Door').click()
    await act('New group')
    await console.page.getByLabel('Name of the group').fill('Ground floor')
    await console.button('Save').click()
    await console.text('The group is there.')
    await act('Put Door into a group')
    await console.page.getByRole('combobox', { name: 'Group' }).click()
    await console.page.getByRole('option', { name: 'Ground floor' }).click()
    await console.button('Save').click()
    await console.text('Door is in Ground floor now.')
    await console.page.getByText('Groups', { exact: true }).click()
    await item(console, 'Ground floor').dblclick()
    await item(console, 'Door').click()
    await act('Take Door out of its group')
    await item(console, 'Door').waitFor({ state: 'detached' })
  })

  it('adds a device before it registers, changes it, and removes it', async () => {
    const settings = async () => (await rig.api(`devices/${OTHER}?channels=false`)).body.data
    const console = await open()
    await console.button('Add a device').click()
    await console.page.getByLabel('Id of the device').fill(OTHER)
    await console.button('Save').click()
    await console.page.getByRole('heading', { name: OTHER, level: 2 }).waitFor()
    await console.button(`Edit ${OTHER}`).click()
    await console.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Gate house')
    await console.page.getByLabel('alarms', { exact: true }).check()
    await console.button('Save').click()
    await console.page.getByRole('heading', { name: 'Gate house', level: 2 }).waitFor()
    expect(await settings()).to.include({ name: 'Gate house', subscribeAlarm: true, subscribeCatalog: false })
    await console.confirm(console.button('Remove'))
    await console.text('The device is gone.')
    expect((await rig.api(`devices/${OTHER}`)).body.code).to.equal(404)
  })

  it('says what devices are to be told while there are none', async () => {
    const empty = await GbRig.start()
    const console = await ConsolePage.open(browser, empty.server.http('/admin/'), 'gb28181/devices')
    await console.page.getByRole('heading', { name: 'No device has come yet' }).waitFor()
    await console.row('Server port').getByText(String(empty.udpPort)).waitFor()
    await console.isSound()
  })
})
