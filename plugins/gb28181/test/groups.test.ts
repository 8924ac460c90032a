import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID } from '../fixtures/api-rig.ts'

const YARD = '34020000001310000002'
const PROXY = '34020000001310000077'

type Group = {
  readonly id: number
  readonly pid: number
  readonly name: string
  readonly level: number
  readonly children: readonly Group[]
  readonly channels: readonly { readonly channelId: string }[]
}

describe('the operations of groups', () => {
  let rig: ApiRig
  beforeEach(async () => {
    rig = await ApiRig.start()
    await waitFor(async () => (await groups(-1)).length === 1)
  })

  const groups = async (pid: number) => (await rig.get(`groups/${pid}`))['data'] as readonly Group[]
  const add = async (pid: number, name: string) => {
    const { data } = await rig.post('groups/add', { pid, name })
    return (data as { id: number }).id
  }
  /** The tree as text: `root(a(b)c)`. */
  const textOf = (all: readonly Group[]): string =>
    all.map(({ name, children }) => `${name}${children.length > 0 ? `(${textOf(children)})` : ' '}`).join('')

  it('make a tree with one root, which nobody changes', async () => {
    const [root] = await groups(-1)
    expect(root).to.deep.include({ pid: 0, level: 0, children: [], channels: [] })
    const a = await add(root!.id, 'a')
    const b = await add(a, 'b')
    await add(root!.id, 'c')
    expect(textOf(await groups(-1))).to.equal('root(a(b )c )')
    expect((await groups(a))[0]).to.include({ id: b, pid: a, level: 2 })
    const refusals: readonly [string, object, number][] = [
      ['groups/add', { pid: 0, name: 'second root' }, 400],
      ['groups/add', { pid: 999, name: 'nowhere' }, 404],
      ['groups/update', { id: root!.id, name: 'mine' }, 400],
      ['groups/update', { id: a, pid: b }, 400],
      ['groups/update', { id: a, pid: a }, 400],
      ['groups/update', { id: 999, name: 'x' }, 404],
      [`groups/delete/${root!.id}`, {}, 400],
      ['groups/delete/999', {}, 404],
    ]
    for (const [path, body, code] of refusals) {
      expect(await rig.post(path, body), `${path} ${JSON.stringify(body)}`).to.include({ code })
    }
    expect(await rig.get('groups/999')).to.include({ code: 404 })
    expect(textOf(await groups(-1))).to.equal('root(a(b )c )')
  })

  it('rename, move and delete groups with those below', async () => {
    const [root] = await groups(-1)
    const [a, c] = [await add(root!.id, 'a'), await add(root!.id, 'c')]
    await add(a, 'b')
    await rig.post('groups/update', { id: a, name: 'A', pid: c })
    expect(textOf(await groups(-1))).to.equal('root(c(A(b )))')
    await rig.post(`groups/delete/${c}`)
    expect(textOf(await groups(-1))).to.equal('root ')
  })

  it('have no more than so many levels', async () => {
    const [root] = await groups(-1)
    let above = root!.id
    for (let level = 1; level <= 32; level += 1) above = await add(above, `level ${level}`)
    expect(await rig.post('groups/add', { pid: above, name: 'too deep' })).to.include({ code: 503 })
  })

  it('hold channels, in place of those before', async () => {
    await rig.registered({
      name: 'Gate',
      channels: [
        { id: CHANNEL_ID, name: 'Door' },
        { id: YARD, name: 'Yard' },
      ],
    })
    await rig.post('channel/add_with_proxy/cam/gate', { channelId: PROXY, name: 'Proxied' })
    const [root] = await groups(-1)
    const id = await add(root!.id, 'a')
    const [door, yard, proxied] = [CHANNEL_ID, YARD, PROXY].map((channelId) => ({
      deviceId: channelId === PROXY ? PROXY : DEVICE_ID,
      channelId,
    }))
    const members = async () => {
      const { data } = await rig.get(`groups/${id}/channels?page=1&count=2`)
      return data as { list: { channelId: string; inGroup: boolean }[]; channels: { channelId: string }[] }
    }
    expect(await rig.post(`groups/channel/add/${id}`, [door, proxied, door])).to.include({ code: 0 })
    const { list, channels } = await members()
    expect(list.map(({ channelId, inGroup }) => [channelId, inGroup])).to.eql([
      [CHANNEL_ID, true],
      [YARD, false],
    ])
    expect(channels[0]).to.include({
      channelName: 'Door',
      deviceName: 'Gate',
      status: 'ON',
      groupId: id,
      inGroup: true,
    })
    expect(channels.map(({ channelId }) => channelId)).to.eql([CHANNEL_ID, PROXY])
    expect((await rig.get(`groups/${id}/channels?deviceId=${PROXY}`))['total']).to.equal(1)
    expect((await groups(root!.id))[0]!.channels.map(({ channelId }) => channelId)).to.eql([CHANNEL_ID, PROXY])

    const { total, data } = await rig.get(`groups/${id}/channels?inGroup=true&page=2&count=1`)
    expect(total).to.equal(2)
    expect((data as { list: object[] }).list[0]).to.include({ channelId: PROXY, inGroup: true, playing: false })
    const [bare] = (await rig.get(`groups/${root!.id}?channels=false`))['data'] as readonly Group[]
    expect(bare).to.deep.include({ id, channels: [] })

    await rig.post(`groups/channel/add/${id}?replace=false`, [yard, door])
    expect((await members()).channels.map(({ channelId }) => channelId)).to.eql([CHANNEL_ID, PROXY, YARD])
    await rig.post(`groups/channel/add/${id}`, [yard])
    expect((await members()).channels.map(({ channelId }) => channelId)).to.eql([YARD])
    expect(await rig.post(`groups/channel/add/${id}`, [{ deviceId: DEVICE_ID, channelId: '3499' }])).to.include({
      code: 404,
    })
    await rig.post(`groups/channel/add/${id}`, [door, yard])
    await rig.post(`groups/channel/delete/${id}`, [door])
    expect((await members()).channels.map(({ channelId }) => channelId)).to.eql([YARD])
    await rig.post(`groups/channel/add/${id}`, [])
    expect((await members()).channels).to.eql([])
    await rig.post(`groups/channel/add/${id}`, [door, proxied])
    await rig.post(`channel/delete_with_proxy/${PROXY}`)
    await rig.post(`device/remove/${DEVICE_ID}`)
    expect((await members()).channels).to.eql([])
  })

  it('are read and changed while there is no root', async () => {
    const bare = await ApiRig.start({ automigrate: false })
    expect((await bare.get('groups/-1'))['data']).to.eql([])
  })
})
