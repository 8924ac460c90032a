import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { UdpClient } from '../../../test/support/udp-client.ts'
import { CHANNELS, DeviceRig, headerOf, statusesOf } from '../fixtures/device-rig.ts'
import { rawNotice, rawRequest } from '../fixtures/raw-requests.ts'

describe('GB28181: messages of devices of SIPp', () => {
  let rig: DeviceRig
  before(async function () {
    requirePeer(this, 'sipp')
    rig = await DeviceRig.start()
  })

  it('are signs of life of those that have registered alone', async () => {
    const device = await rig.device()
    expect(statusesOf(await device.run('keepalive'))).to.eql([403])
    await device.run('register')
    expect(statusesOf(await device.run('keepalive'))).to.eql([200])
    await device.run('register', { keys: { expires: '0' } })
    expect(statusesOf(await device.run('keepalive'))).to.eql([403])
  })

  it('are answered without a body', async () => {
    const device = await rig.device()
    await device.run('register')
    const messages = await device.run('keepalive')
    const answer = messages.find(({ text }) => text.startsWith('SIP/2.0 200'))!.text
    expect(headerOf(answer, 'Content-Length')).to.equal('0')
    expect(answer.endsWith('\r\n\r\n')).to.equal(true)
  })

  it('tell by signs of life from another port where it is now', async () => {
    const device = await rig.device()
    await device.arrive()
    const moved = await rig.device(device.id)
    await moved.run('keepalive')
    expect(rig.linesOf(device.id)).to.include('a device has another address now')
    const taking = moved.begin('take-messages', { calls: 2 })
    await device.run('alarm')
    await taking.succeed()
  })

  it('tell what a device has, in several messages of GB2312', async () => {
    const before = await rig.metric('channels', { state: 'on' })
    const device = await rig.device()
    await device.arrive()
    await rig.waitForMetric('channels', { state: 'on' }, before + 2)
    const rows = await waitFor(async () => {
      const found = await channelRows(rig, device.id)
      return found.length === 2 && found
    })
    expect(rows.map(({ channelId, name }) => [channelId, name])).to.have.deep.members([
      [CHANNELS[0], '东门'],
      [CHANNELS[1], '西门'],
    ])
  })

  it('raise alarms, which are answered and reset', async () => {
    const device = await rig.device()
    await device.arrive()
    const taking = device.begin('take-messages', { calls: 2 })
    const sender = await rig.device(device.id)
    await sender.run('alarm')
    const messages = await taking.succeed()
    const bodies = messages.filter(({ isSent }) => !isSent).map(({ text }) => text)
    const response = bodies.find((text) => text.includes('<Response>'))
    expect(response).to.match(/<CmdType>Alarm<\/CmdType>\s*<SN>4711<\/SN>\s*<DeviceID>\d{20}<\/DeviceID>\s*<Result>OK/u)
    const reset = bodies.find((text) => text.includes('<Control>'))
    expect(reset).to.match(/<CmdType>DeviceControl<\/CmdType>[^]*<AlarmCmd>ResetAlarm<\/AlarmCmd>/u)
    for (const text of [response!, reset!]) expect(text).to.match(new RegExp(`^MESSAGE sip:${device.id}@`, 'u'))
  })

  it('are taken once, however often they come', async () => {
    const device = await rig.device()
    await device.arrive()
    const taking = device.begin('take-messages', { calls: 4 })
    const client = await UdpClient.open(rig.server.port('udp'))
    const alarm = (sn: number) => {
      const body = rawNotice(device.id, 'Alarm', sn, '<AlarmPriority>1</AlarmPriority><AlarmMethod>2</AlarmMethod>')
      return rawRequest({ method: 'MESSAGE', device: device.id, callId: `alarm-${sn}`, cseq: sn, body })
    }
    const first = alarm(1)
    const answers = [await client.ask(first), await client.ask(first), await client.ask(first)]
    expect(new Set(answers)).to.have.length(1)
    await client.ask(alarm(2))
    const messages = await taking.succeed()
    const calls = new Map(
      messages.filter(({ isSent }) => !isSent).map(({ text }) => [headerOf(text, 'Call-ID'), text] as const),
    )
    const numbers = [...calls.values()].flatMap((text) => /<Response>[^]*<SN>(\d+)</u.exec(text)?.[1] ?? [])
    expect(numbers).to.have.members(['1', '2'])
  })

  it('of calls that are over, and of no known method, are refused', async () => {
    const device = await rig.device()
    await device.run('register')
    await device.run('outside-calls')
  })

  it('of strangers are refused, but for the question whether somebody is there', async () => {
    const stranger = await rig.device()
    await stranger.run('options')
    const client = await UdpClient.open(rig.server.port('udp'))
    for (const method of ['INVITE', 'BYE', 'INFO', 'SUBSCRIBE', 'NOTIFY', 'MESSAGE']) {
      const request = rawRequest({ method, device: stranger.id, callId: method, cseq: 1 })
      expect(await client.ask(request), method).to.match(/^SIP\/2\.0 403 /u)
    }
  })
})

type ChannelFields = { readonly channelId: string; readonly name: string }

/** What the database has of the channels of a device. */
async function channelRows(rig: DeviceRig, device: string): Promise<ChannelFields[]> {
  const db = rig.server.ctx.store<{ gb28181_channel: { readonly device_id: string; readonly data: string } }>()
  const rows = await db.selectFrom('gb28181_channel').select('data').where('device_id', '=', device).execute()
  return rows.map(({ data }) => JSON.parse(data) as ChannelFields)
}
