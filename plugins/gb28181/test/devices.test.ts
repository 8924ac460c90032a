import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID, type ApiBody } from '../fixtures/api-rig.ts'

const OTHER = '34020000001320000002'

describe('the operations of devices', () => {
  let rig: ApiRig
  beforeEach(async () => {
    rig = await ApiRig.start()
  })

  const idsOf = ({ data }: ApiBody) => (data as { deviceId: string }[]).map(({ deviceId }) => deviceId)

  it('list devices by whether they are online, by words, addresses and pages', async () => {
    await rig.registered({ name: 'Gate' })
    await rig.post('device/add', { deviceId: OTHER, name: 'To come' })
    const cases: readonly [string, readonly string[]][] = [
      ['list', [OTHER]],
      ['list?status=0', [OTHER]],
      ['devices?status=1', [DEVICE_ID]],
      ['list?status=2', [DEVICE_ID, OTHER]],
      ['list?status=2&query=gAte', [DEVICE_ID]],
      ['list?status=2&query=none', []],
      ['list?status=2&ip=127.0.0.1', [DEVICE_ID]],
      ['list?status=2&page=2&count=1', [OTHER]],
      ['list?status=2&page=2&count=0', [DEVICE_ID, OTHER]],
    ]
    for (const [path, ids] of cases) {
      const answer = await rig.get(path)
      expect([answer.code, idsOf(answer)], path).to.eql([0, ids])
    }
    expect(await rig.get('list?status=2&page=2&count=1')).to.include({ total: 2 })
    const { data } = await rig.get('list?status=1&channels=false')
    expect((data as object[])[0]).to.deep.include({ deviceId: DEVICE_ID, channelCount: 1, channels: [] })
  })

  it('show a device with its channels', async () => {
    await rig.registered({ name: 'Gate', manufacturer: 'Acme', model: 'A1', firmware: 'F7' })
    const { data } = await rig.get(`devices/${DEVICE_ID}`)
    expect(data).to.deep.include({
      deviceId: DEVICE_ID,
      name: 'Gate',
      manufacturer: 'Acme',
      model: 'A1',
      firmware: 'F7',
      version: '3.0',
      status: 'ONLINE',
      online: true,
      transport: 'UDP',
      ip: '127.0.0.1',
      channelCount: 1,
      password: '',
    })
    const [channel] = (data as { channels: unknown[] }).channels
    expect(channel).to.deep.include({ id: `${DEVICE_ID}_${CHANNEL_ID}`, name: 'Door', status: 'ON' })
    expect((await rig.get(`devices/${DEVICE_ID}?channels=false`))['data']).to.deep.include({ channels: [] })
    expect(await rig.get(`devices/${OTHER}`)).to.include({ code: 404, message: `there is no device ${OTHER}` })
  })

  it('keep what they set, and never tell a password', async () => {
    const settings = { name: 'Mine', password: 'planted7f3a', streamMode: 'UDP', charset: 'utf8', mediaIp: '192.0.2.1' }
    expect(await rig.post('device/add', { deviceId: OTHER, ...settings })).to.include({ code: 0 })
    expect(await rig.post('device/add', { deviceId: OTHER })).to.include({ code: 409 })
    const { data } = await rig.get(`devices/${OTHER}`)
    expect(data).to.include({ ...settings, password: '******', charset: 'UTF-8' })
    // What was shown comes back, and changes nothing.
    expect(await rig.post('device/update', data)).to.include({ code: 0 })
    expect(await rig.post('device/update', { deviceId: OTHER, password: '' })).to.include({ code: 0 })
    const device = rig.device({ id: OTHER, password: 'planted7f3a' })
    await device.start()
    expect(device.isRegistered).to.equal(true)
    expect(JSON.stringify([rig.server.log, await rig.get(`devices/${OTHER}`)])).not.to.include('planted7f3a')
    for (const wrong of [{ streamMode: 'SCTP' }, { charset: 'EBCDIC' }]) {
      expect(await rig.post('device/update', { deviceId: OTHER, ...wrong })).to.include({ code: 400 })
    }
    expect(await rig.post('device/update', { deviceId: OTHER, mediaIp: 'a b\r\nc' })).to.include({ code: 3 })
  })

  it('set how media comes', async () => {
    await rig.registered()
    expect(await rig.post(`transport/${DEVICE_ID}/TCP-ACTIVE`)).to.include({ code: 0 })
    expect((await rig.get(`devices/${DEVICE_ID}`))['data']).to.include({ streamMode: 'TCP-ACTIVE' })
    expect(await rig.post(`transport/${DEVICE_ID}/FTP`)).to.include({ code: 400 })
    expect(await rig.post(`transport/${OTHER}/UDP`)).to.include({ code: 404 })
  })

  it('subscribe at once, and no longer', async () => {
    const device = await rig.registered()
    await rig.post('device/update', { deviceId: DEVICE_ID, subscribeAlarm: true, subscribePosition: true })
    await waitFor(() => device.subscriptions.length === 2)
    const info = async () => (await rig.get(`${DEVICE_ID}/subscribe_info`))['data']
    await waitFor(async () => JSON.stringify(await info()) === '{"catalog":0,"alarm":1,"mobilePosition":1}')
    await rig.post('device/update', { deviceId: DEVICE_ID, subscribeAlarm: false })
    await waitFor(() => device.subscriptions.length === 1)
  })

  it('fetch the catalog anew, and say how far it is', async () => {
    await rig.registered({ channels: 12 })
    await rig.post(`channel/delete/${DEVICE_ID}_34020000001310000101`)
    expect(await rig.get(`devices/${DEVICE_ID}/sync`)).to.include({ code: 0, errorMsg: '', running: true })
    await waitFor(async () => (await rig.get(`${DEVICE_ID}/sync_status`))['running'] === false)
    expect(await rig.get(`${DEVICE_ID}/sync_status`)).to.include({ code: 0, total: 12, current: 12, errorMsg: '' })
    await waitFor(async () => (await rig.get(`devices/${DEVICE_ID}/channels`))['total'] === 12)
    await rig.post('device/add', { deviceId: OTHER })
    expect(await rig.get(`devices/${OTHER}/sync`)).to.include({ code: 503, message: `device ${OTHER} is offline` })
  })

  it('remove a device, which is 200, and 0 where there is none', async () => {
    const device = await rig.registered()
    await device.alarm({ description: 'motion' })
    expect(await rig.post(`device/remove/${DEVICE_ID}`)).to.include({ code: 200 })
    expect(await rig.get(`devices/${DEVICE_ID}`)).to.include({ code: 404 })
    expect(await rig.get(`devices/${DEVICE_ID}/channels`)).to.include({ code: 404 })
    expect(await rig.get(`device/remove/${DEVICE_ID}`)).to.include({ code: 0 })
  })

  it('ask devices what they are, and change their configuration', async () => {
    const device = await rig.registered({ name: 'Gate', model: 'A1' })
    expect((await rig.get(`devices/${DEVICE_ID}/info`))['data']).to.include({
      deviceName: 'Gate',
      model: 'A1',
      channel: 1,
    })
    expect((await rig.get(`devices/${DEVICE_ID}/status`))['data']).to.include({
      online: 'ON',
      status: 'ON',
      record: 'OFF',
    })
    expect((await rig.get(`sd_card/${DEVICE_ID}`))['data']).to.eql([
      { id: 1, name: 'SD card', status: 'ok', formatProgress: 0, capacity: 65_536, freeSpace: 32_768 },
    ])
    const config = `config/${DEVICE_ID}/${DEVICE_ID}`
    const change = { basicParam: { name: 'Yard <&>', heartBeatInterval: 30 } }
    expect(await rig.post(config, change)).to.include({ code: 0 })
    expect(device.basicParam).to.include({ name: 'Yard <&>', heartBeatInterval: 30 })
    const { data } = await rig.get(`${config}?types=basicparam,VideoParamOpt`)
    expect(data).to.have.keys('BasicParam', 'VideoParamOpt')
    expect((data as { BasicParam: object }).BasicParam).to.include({ Name: 'Yard <&>', HeartBeatInterval: '30' })
    expect(await rig.get(`${config}?types=Nonsense`)).to.include({ code: 400 })
    expect(await rig.post(config, {})).to.include({ code: 400 })
  })

  it('send older devices nothing that they can not read', async () => {
    await rig.registered({ version: '2.0' })
    for (const path of [
      `sd_card/${DEVICE_ID}`,
      `snap/${DEVICE_ID}/${CHANNEL_ID}`,
      `ptz/position/${DEVICE_ID}/${CHANNEL_ID}`,
      `config/${DEVICE_ID}/${DEVICE_ID}?types=OSDConfig`,
    ]) {
      expect(await rig.get(path), path).to.include({ code: 501 })
    }
  })
})
