import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { clipOf, DEVICE_ID, GbRig } from '../../plugins/gb28181/fixtures/rig.ts'
import type { GbDevice } from '../../plugins/gb28181/device/index.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { CtlRunner } from '../support/ctl-runner.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { rejectionOf } from '../support/rejection.ts'

const CHANNEL_ID = '34020000001310000001'
const IDS = [DEVICE_ID, CHANNEL_ID] as const
const NOBODY = '34020000001320000099'
const START_MS = Date.UTC(2026, 10, 20, 2)
const LENGTH_MS = 2000
type Json = Readonly<Record<string, unknown>>

describe('sluice ctl, of devices that register', () => {
  let rig: GbRig
  let device: GbDevice
  let ctl: CtlRunner
  beforeEach(async function () {
    requirePeer(this, 'ffmpeg')
    rig = await GbRig.start()
    device = await rig.registered({
      id: DEVICE_ID,
      version: '3.0',
      name: 'Gate',
      channels: [{ id: CHANNEL_ID, name: 'Door' }],
      recordings: [{ name: 'morning', start: new Date(START_MS), end: new Date(START_MS + LENGTH_MS), type: 'time' }],
      source: await clipOf(),
    })
    ctl = new CtlRunner(rig.server.http(''))
  })

  const json = async (...args: string[]) => (await ctl.json('gb', ...args)) as Json
  const list = async (...args: string[]) => (await ctl.json('gb', ...args)) as readonly Json[]
  const lines = async (...args: string[]) => (await ctl.lines('gb', ...args)).map(stripVTControlCharacters)
  const complaint = async (...args: string[]) => String(await rejectionOf(ctl.json('gb', ...args)))
  const frontEnd = () => device.state(CHANNEL_ID).frontEnd

  it('lists them, online or not, and their channels', async () => {
    const [titles, row] = await lines('devices')
    expect(titles).to.match(/^DEVICE +NAME +MODEL +STATE +CHANNELS +FROM +MEDIA +HEARD$/u)
    expect(row).to.match(
      new RegExp(`^${DEVICE_ID}  Gate +\\S+ .* online +1 +udp 127.0.0.1:\\d+ +tcp-passive +\\d+s$`, 'u'),
    )
    expect(await list('devices', 'nosuch')).to.eql([])
    expect((await lines('channels', DEVICE_ID))[1]).to.match(
      new RegExp(`^${CHANNEL_ID} +Door .* on +${DEVICE_ID}/${CHANNEL_ID}$`, 'u'),
    )
    expect(await complaint('channels', NOBODY)).to.include(`there is no device ${NOBODY}`)
    await device.stop()
    await waitFor(async () => (await list('devices'))[0]?.['online'] === false)
  })

  it('fetches their catalogs', async () => {
    expect((await lines('sync', DEVICE_ID)).at(-1)).to.equal(`Fetched 1 channels of ${DEVICE_ID}`)
    await device.stop()
    expect(await complaint('sync', DEVICE_ID)).to.include('is offline')
  })

  it('fetches a live stream, says where it is watched, and stops it', async () => {
    const { streamPath, addresses } = await json('play', ...IDS)
    expect(streamPath).to.equal(IDS.join('/'))
    const flv = (addresses as string[]).find((address) => /^http:.*\.flv$/u.test(address))
    // Of the config, in which the port of a test is 0.
    const viewer = new FlvViewer(rig.server.http(new URL(flv!).pathname))
    await viewer.received.wait(5)
    expect(device.sessions).to.have.length(1)
    expect((await lines('play', ...IDS))[0]).to.equal(`Stream  ${IDS.join('/')}`)
    expect(await lines('stop', ...IDS)).to.eql([`Stopped ${IDS.join('/')}`])
    await waitFor(() => device.sessions.length === 0)
    viewer.close()
    expect(await complaint('stop', ...IDS)).to.include('not played')
    await json('play', ...IDS, '--sub')
    expect(device.received.findLast(({ method }) => method === 'INVITE')?.message.body.toString()).to.match(
      /^a=streamnumber:1\r?$/mu,
    )
    expect(await complaint('play', ...IDS, '--sub', '--main')).to.include('not both')
    await json('stop', ...IDS)
  })

  it('lists what they have recorded, and downloads it', async () => {
    const [titles, row] = await lines('records', ...IDS)
    expect(titles).to.match(/^FROM +TO +LENGTH +TYPE +NAME$/u)
    expect(row).to.match(/^2026-11-20T\S+ +2026-11-20T\S+ +2s +time +morning$/u)
    expect(await list('records', ...IDS, '--start', '2026-11-21T00:00:00Z')).to.eql([])
    expect(await complaint('records', ...IDS, '--start', 'yesterday')).to.include('must be a time')

    const times = ['--start', String(START_MS / 1000), '--end', String((START_MS + LENGTH_MS) / 1000)]
    expect((await lines('download', ...IDS, ...times)).at(-1)).to.match(
      /^Stored gb_download\/\S+\.mp4 \([\d.]+ \S?B\)$/u,
    )
    expect(await complaint('download', ...IDS)).to.include('--start is missing')
  })

  it('moves cameras', async () => {
    await json('ptz', ...IDS, 'left', '--speed', '100')
    await waitFor(() => frontEnd().motion.pan === -100)
    await json('ptz', ...IDS, 'in')
    await waitFor(() => frontEnd().motion.zoom === 3)
    expect(await lines('ptz', ...IDS, 'stop')).to.eql(['Stopped'])
    await waitFor(() => frontEnd().motion.zoom === 0)
    expect(await complaint('ptz', ...IDS, 'sideways')).to.include('MOVE is left, right')
    expect(await complaint('ptz', ...IDS, 'left', '--speed', '256')).to.include('1 to 255')
    expect(await complaint('ptz', DEVICE_ID, NOBODY, 'left')).to.include('there is no channel')
  })

  it('sets, calls, lists and removes presets', async () => {
    await json('preset', ...IDS, '3', '--set')
    await waitFor(() => frontEnd().presets.has(3))
    expect((await lines('presets', ...IDS))[1]).to.match(/^ *3 /u)
    expect(await lines('preset', ...IDS, '3')).to.eql(['Going to preset 3'])
    await json('preset', ...IDS, '3', '--remove')
    await waitFor(async () => (await list('presets', ...IDS)).length === 0)
    expect(await complaint('preset', ...IDS, '0')).to.include('1 to 255')
  })

  it('lists alarms', async () => {
    await device.alarm({ channelId: CHANNEL_ID, priority: 2, method: 5, type: 2, description: 'motion' })
    await waitFor(async () => (await list('alarms', DEVICE_ID)).length === 1)
    expect((await lines('alarms', DEVICE_ID))[1]).to.match(new RegExp(` ${CHANNEL_ID} .* motion$`, 'u'))
  })
})
