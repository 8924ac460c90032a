import { expect } from 'chai'
import { SCRIPTED_VIDEO, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID, type ApiBody } from '../fixtures/api-rig.ts'

const YARD = '34020000001310000002'
const TREE = '34020000002160000001'
const PROXY = '34020000001310000077'

describe('the operations of channels', () => {
  let rig: ApiRig
  beforeEach(async () => {
    rig = await ApiRig.start()
  })

  const rowsOf = ({ data }: ApiBody) => data as readonly Readonly<Record<string, unknown>>[]
  const idsOf = (answer: ApiBody) => rowsOf(answer).map(({ channelId }) => channelId)

  async function withChannels(): Promise<void> {
    const channels = [
      { id: TREE, name: 'House' },
      { id: CHANNEL_ID, name: 'Door', fields: { ParentID: TREE, IPAddress: '192.0.2.9' } },
      { id: YARD, name: 'Yard', isOnline: false },
    ]
    await rig.registered({ channels })
  }

  it('list those of a device, whose deviceId is their own id', async () => {
    await withChannels()
    const all = [TREE, CHANNEL_ID, YARD]
    const cases: readonly [string, readonly string[]][] = [
      ['', all],
      ['query=door', [CHANNEL_ID]],
      ['online=true', [TREE, CHANNEL_ID]],
      ['online=false', [YARD]],
      ['channelType=true', [TREE]],
      ['channelType=false', [CHANNEL_ID, YARD]],
      ['top=true', [TREE, YARD]],
      ['top=true&online=false', [YARD]],
      ['page=2&count=2', [YARD]],
    ]
    for (const [query, ids] of cases) {
      expect(idsOf(await rig.get(`devices/${DEVICE_ID}/channels?${query}`)), query).to.eql(ids)
    }
    const [first] = rowsOf(await rig.get(`devices/${DEVICE_ID}/channels`))
    expect(first).to.include({ deviceId: TREE, id: `${DEVICE_ID}_${TREE}`, subCount: 1, playing: false })
    expect(idsOf(await rig.get(`sub_channels/${DEVICE_ID}/${TREE}/channels`))).to.eql([CHANNEL_ID])
    expect(await rig.get(`sub_channels/${DEVICE_ID}/${PROXY}/channels`)).to.include({ code: 404 })
  })

  it('find them by the address of the camera or its device', async () => {
    await withChannels()
    expect(idsOf(await rig.get('channel/ip/192.0.2.9'))).to.eql([CHANNEL_ID])
    expect(idsOf(await rig.get('channel/ip/127.0.0.1'))).to.eql([TREE, YARD])
  })

  it('name them, and lead them elsewhere', async () => {
    await withChannels()
    const update = `channel/update/${DEVICE_ID}_${CHANNEL_ID}`
    const names = { customChannelId: '3401', customChannelName: 'Front', streamPath: 'live/door' }
    expect(await rig.post(update, names)).to.include({ code: 0 })
    const [door] = rowsOf(await rig.get('channel/list?query=front'))
    expect(door).to.include({ ...names, channelName: 'Door', channelType: 'device', deviceId: DEVICE_ID })
    expect(await rig.post(`channel/update/${DEVICE_ID}_${YARD}`, { customChannelId: '3401' })).to.include({ code: 409 })
    expect(await rig.post(update, { streamPath: `${DEVICE_ID}/${CHANNEL_ID}` })).to.include({ code: 0 })
    expect((await rig.get(`channel/raw?id=${DEVICE_ID}_${CHANNEL_ID}`))['data']).to.include({
      streamPath: `${DEVICE_ID}/${CHANNEL_ID}`,
      ipAddress: '192.0.2.9',
    })
    expect(await rig.post(update, { streamPath: '../a' })).to.include({ code: 400 })
    expect(await rig.post('channel/update/none', {})).to.include({ code: 400 })
    expect(await rig.post(`channel/update/${DEVICE_ID}_${PROXY}`, {})).to.include({ code: 404 })
  })

  it('choose their sound and stream', async () => {
    await withChannels()
    const raw = async () => (await rig.get(`channel/raw?id=${DEVICE_ID}_${CHANNEL_ID}`))['data']
    expect(await raw()).to.include({ audio: true, streamIdentification: 'main' })
    await rig.post('channel/audio', { channelId: CHANNEL_ID, audio: false })
    const which = { deviceId: DEVICE_ID, channelId: CHANNEL_ID, streamIdentification: 'stream:1' }
    await rig.post('channel/stream/identification/update', which)
    expect(await raw()).to.include({ audio: false, streamIdentification: 'sub' })
  })

  it('add those that no catalog has, which stay when it is fetched anew', async () => {
    await withChannels()
    const hidden = { deviceId: DEVICE_ID, channelId: PROXY, channelName: 'Hidden' }
    expect(await rig.post('channel/add', hidden)).to.include({ code: 0 })
    expect(await rig.post('channel/add', hidden)).to.include({ code: 409 })
    expect(await rig.post('channel/add', { channelId: '3499' })).to.include({ code: 400 })
    expect(await rig.post('channel/add', { deviceId: PROXY, channelId: YARD })).to.include({ code: 404 })
    expect(await rig.post('channel/add', { channelId: '3499', streamPath: 'live/a' })).to.include({ code: 0 })
    expect(idsOf(await rig.get('channel/list?type=1'))).to.eql([PROXY, '3499'])
    expect(idsOf(await rig.get('channel/list?type=0'))).to.eql([TREE, CHANNEL_ID, YARD])
    await rig.get(`devices/${DEVICE_ID}/sync`)
    await waitFor(() => rig.server.log.filter(({ msg }) => msg === 'the catalog of a device was fetched').length === 2)
    expect((await rig.get('channel/list?type=-1'))['total']).to.equal(5)
    expect(await rig.post(`channel/delete/${DEVICE_ID}_${PROXY}`)).to.include({ code: 0 })
    expect(await rig.post(`channel/delete/${DEVICE_ID}_${PROXY}`)).to.include({ code: 404 })
  })

  it('add channels of streams, which are on while these are published', async () => {
    const body = { channelId: PROXY, name: 'Gate', manufacturer: 'Acme', model: 'A1', password: 'planted7f3a' }
    expect(await rig.post('channel/add_with_proxy/cam/gate', body)).to.eql({ code: 0, message: 'success' })
    expect(await rig.post('channel/add_with_proxy/cam/other', body)).to.include({ code: 409 })
    expect(await rig.post('channel/add_with_proxy/cam/gate', { channelId: '3402' })).to.include({ code: 3 })
    const shown = async () => rowsOf(await rig.get(`devices/${PROXY}/channels`))[0]
    const fields = { id: `${PROXY}_${PROXY}`, deviceId: PROXY, name: 'Gate', manufacturer: 'Acme', model: 'A1' }
    expect(await shown()).to.include({ ...fields, streamPath: 'cam/gate', status: 'OFF' })
    const publisher = await rig.server.streams.publish(sessionInit('cam/gate'))
    expect(await shown()).to.include({ status: 'ON', playing: true })
    publisher.close('the test is over')
    await waitFor(async () => (await shown())?.['status'] === 'OFF')
    await rig.post(`channel/update_with_proxy/${PROXY}`, { status: 'ON', streamPath: 'cam/b' })
    expect(await shown()).to.include({ ...fields, streamPath: 'cam/b', status: 'ON' })
    const { data } = await rig.get(`channel/raw?id=${PROXY}_${PROXY}`)
    expect(JSON.stringify(data)).not.to.include('planted7f3a')
    expect(await rig.post(`channel/update_with_proxy/${PROXY}`, { streamPath: `${PROXY}/${PROXY}` })).to.include({
      code: 400,
    })
    expect(await rig.post(`channel/delete_with_proxy/${PROXY}`)).to.include({ code: 0 })
    expect(await rig.post(`channel/delete_with_proxy/${PROXY}`)).to.include({ code: 404 })
    expect(await rig.get(`devices/${PROXY}/channels`)).to.include({ code: 404 })
  })

  it('lead viewers of such a channel to its stream', async () => {
    await rig.post('channel/add_with_proxy/cam/gate', { channelId: PROXY, name: 'Gate' })
    const publisher = await rig.server.streams.publish(sessionInit('cam/gate'))
    publisher.addTrack(SCRIPTED_VIDEO)
    publisher.tracksComplete()
    const subscriber = await rig.server.streams.subscribe(sessionInit(`${PROXY}/${PROXY}`))
    expect(subscriber.sourcePath).to.equal('cam/gate')
    const started = await rig.get(`play/start/${PROXY}/${PROXY}`)
    expect(started['data']).to.eql({ streamPath: 'cam/gate', ssrc: '' })
    subscriber.close('the test is over')
  })
})
