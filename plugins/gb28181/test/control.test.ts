import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { DeviceEvent, GbDevice } from '../device/index.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID, type ApiBody } from '../fixtures/api-rig.ts'

const TARGET = `${DEVICE_ID}/${CHANNEL_ID}`

describe('the operations that tell cameras what to do', () => {
  let rig: ApiRig
  let device: GbDevice
  before(async () => {
    rig = await ApiRig.start()
    device = await rig.registered()
  })

  const state = () => device.state(CHANNEL_ID)
  const frontEnd = () => state().frontEnd

  it('pass a command on, when it is one', async () => {
    expect(await rig.get(`ptz/${TARGET}?ptzcmd=A50F0101200000D6`)).to.include({ code: 0 })
    await waitFor(() => frontEnd().motion.pan === 0x20)
    for (const wrong of ['A50F0101200000D7', 'A50F01', '0000000000000000', '%3C%2FPTZCmd%3E']) {
      expect(await rig.get(`ptz/${TARGET}?ptzcmd=${wrong}`), wrong).to.include({ code: 400 })
    }
    expect(await rig.get(`front-end/${TARGET}?cmdCode=2&parameter1=16`)).to.include({ code: 0 })
    await waitFor(() => frontEnd().motion.pan === -16)
    expect(await rig.get(`ptz/move/${TARGET}`)).to.include({ code: 0 })
    await waitFor(() => frontEnd().motion.pan === 0)
    expect(frontEnd().problems).to.eql([])
  })

  const commands: readonly [string, () => unknown, unknown][] = [
    ['ptz/move?pan=10&tilt=-20&zoom=5', () => frontEnd().motion, { pan: 10, tilt: -20, zoom: 5 }],
    ['fi/iris?command=in&speed=40', () => frontEnd().lens, { focus: 0, iris: 40 }],
    ['fi/iris?command=out&speed=40', () => frontEnd().lens, { focus: 0, iris: -40 }],
    ['fi/focus?command=near&speed=7', () => frontEnd().lens, { focus: -7, iris: 0 }],
    ['fi/focus?command=far', () => frontEnd().lens, { focus: 50, iris: 0 }],
    ['wiper?command=on', () => frontEnd().auxiliaries.has(1), true],
    ['auxiliary?command=on&switchId=9', () => frontEnd().auxiliaries.has(9), true],
    ['cruise/start?cruiseId=3', () => frontEnd().running, { kind: 'cruise', number: 3 }],
    ['scan/start?scanId=4', () => frontEnd().running, { kind: 'scan', number: 4 }],
    ['scan/set/speed?scanId=4&speed=300', () => frontEnd().scans.get(4)?.speed, 300],
    ['i_frame', () => state().keyframeRequests, 1],
    ['recording/Record', () => state().isRecording, true],
    ['guard/SetGuard', () => state().isGuarded, true],
  ]
  for (const [command, read, wanted] of commands) {
    it(`tell a camera ${command}`, async () => {
      const [path = '', query = ''] = command.split('?')
      expect(await rig.get(`${path}/${TARGET}?${query}`)).to.eql({ code: 0, message: 'success' })
      await waitFor(() => JSON.stringify(read()) === JSON.stringify(wanted))
    })
  }

  it('set, list, call and delete presets', async () => {
    expect(await rig.get(`preset/${TARGET}?presetId=7&presetName=Gate`)).to.include({ code: 0 })
    expect(await rig.get(`preset/add/${TARGET}?presetId=9`)).to.include({ code: 0 })
    expect((await rig.get(`preset/query/${TARGET}`))['data']).to.eql([7, 9])
    await rig.get(`preset/call/${TARGET}?presetId=9`)
    await waitFor(() => frontEnd().calledPreset === 9)
    await rig.get(`preset/delete/${TARGET}?presetId=7`)
    expect(await rig.get(`preset/query/${TARGET}`)).to.deep.include({
      data: [9],
      presets: [{ presetId: 9, presetName: 'Preset 9' }],
    })
    expect(await rig.get(`preset/${TARGET}?presetId=256`)).to.include({ code: 3 })
  })

  it('make tours, and list them', async () => {
    const paths = ['point/add', 'point/add', 'point/delete', 'speed', 'time']
    const queries = ['presetId=5', 'presetId=6', 'presetId=5', 'speed=1000', 'time=20']
    for (const [index, path] of paths.entries()) await rig.get(`cruise/${path}/${TARGET}?cruiseId=2&${queries[index]}`)
    expect((await rig.get(`cruise/query/${TARGET}`))['data']).to.eql([{ cruiseId: 2, name: 'Cruise 2' }])
    expect((await rig.get(`cruise/track/${TARGET}?cruiseId=2`))['data']).to.eql({
      cruiseId: 2,
      name: 'Cruise 2',
      points: [{ presetId: 6, time: 20, speed: 1000 }],
    })
  })

  it('set the home position, and zoom into an area', async () => {
    const home = { enabled: true, resetTime: 60, presetIndex: 3 }
    expect(await rig.post(`home_position/${TARGET}`, home)).to.include({ code: 0 })
    expect((await rig.get(`home_position/${TARGET}`))['data']).to.eql(home)
    const area = 'length=640&width=360&midPointX=100&midPointY=50&lengthX=64&lengthY=36'
    expect(await rig.get(`drag_zoom/in/${TARGET}?${area}`)).to.include({ code: 0 })
    await waitFor(() => state().dragZoom !== undefined)
    expect(state().dragZoom).to.deep.equal({
      direction: 'in',
      fields: { Length: '640', Width: '360', MidPointX: '100', MidPointY: '50', LengthX: '64', LengthY: '36' },
    })
  })

  it('say where a camera looks', async () => {
    frontEnd().goTo({ pan: 12.5, tilt: -3, zoom: 2 })
    expect((await rig.get(`ptz/position/${TARGET}`))['data']).to.include({ pan: 12.5, tilt: -3, zoom: 2 })
  })

  it('are obeyed by devices of 2022', async () => {
    expect(await rig.get(`ptz/precise/${TARGET}?pan=90.5&tilt=-10`)).to.include({ code: 0 })
    await waitFor(() => frontEnd().pose.pan === 90.5)
    expect(frontEnd().pose.tilt).to.equal(-10)
    const area = 'length=640&width=360&midPointX=100&midPointY=50&lengthX=64&lengthY=36'
    const sent: readonly [() => Promise<ApiBody>, RegExp][] = [
      [() => rig.get(`target_track/Auto/${TARGET}`), /<TargetTrack>Auto<\/TargetTrack>\r\n<\//u],
      [() => rig.get(`target_track/Manual/${TARGET}?${area}`), /<TargetArea>\r\n<Length>640</u],
      [() => rig.post(`sd_card/format/${DEVICE_ID}`, { id: 2 }), /<FormatSDCard>2</u],
    ]
    for (const [ask, wanted] of sent) {
      const since = device.receivedCount
      expect(await ask()).to.include({ code: 0 })
      const { message } = await device.waitFor(({ cmdType }) => cmdType === 'DeviceControl', { since })
      expect(message.body.toString()).to.match(wanted)
    }
    expect(await rig.get(`target_track/Manual/${TARGET}?length=640`)).to.include({ code: 400 })
    const upgrade = { firmware: '2.0', fileUrl: 'http://192.0.2.1/fw.bin', manufacturer: 'Acme' }
    // The simulated device knows no upgrades.
    expect(await rig.post(`device/upgrade/${DEVICE_ID}`, upgrade)).to.include({ code: 502 })
    const wrong = { ...upgrade, fileUrl: 'file:///etc/passwd' }
    expect(await rig.post(`device/upgrade/${DEVICE_ID}`, wrong)).to.include({ code: 400 })
  })

  it('start a device anew', async () => {
    const [other, channelId] = ['34020000001320000002', '34020000001310000002']
    const events: string[] = []
    const onEvent = ({ kind }: DeviceEvent) => void events.push(kind)
    await rig.registered({ id: other, channels: [{ id: channelId, name: 'Yard' }], onEvent })
    expect(await rig.get(`teleboot/${other}`)).to.include({ code: 0 })
    await waitFor(() => events.filter((kind) => kind === 'registered').length === 2)
  })

  it('know no other channel, and none of a device that is gone', async () => {
    const [other, channelId] = ['34020000001320000003', '34020000001310000003']
    const gone = await rig.registered({ id: other, channels: [{ id: channelId, name: 'Hall' }] })
    expect(await rig.get(`ptz/move/${DEVICE_ID}/34020000001310000099`)).to.include({ code: 404 })
    expect(await rig.get(`ptz/move/34020000001320000099/${CHANNEL_ID}`)).to.include({ code: 404 })
    await gone.stop()
    expect(await rig.get(`ptz/move/${other}/${channelId}`)).to.include({ code: 503 })
  })
})
