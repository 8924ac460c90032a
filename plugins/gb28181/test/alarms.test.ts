import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { ApiRig, CHANNEL_ID, DEVICE_ID } from '../fixtures/api-rig.ts'

describe('the operations of alarms', () => {
  let rig: ApiRig
  beforeEach(async () => {
    rig = await ApiRig.start()
  })

  const at = (text: string) => new Date(`2026-11-20T${text}+08:00`)

  it('list what devices have told, the newest first', async () => {
    const device = await rig.registered({ name: 'Gate' })
    await device.alarm({ channelId: CHANNEL_ID, priority: 2, method: 5, type: 2, time: at('10:00:00') })
    await device.alarm({ priority: 4, method: 6, description: 'disk', time: at('11:00:00') })
    await waitFor(async () => (await rig.get(`alarms/${DEVICE_ID}`))['total'] === 2)
    const { data } = await rig.get(`alarms/${DEVICE_ID}`)
    const [newest, oldest] = data as object[]
    expect(newest).to.include({ alarmDescription: 'disk', channelId: '', alarmPriority: '4', deviceName: 'Gate' })
    expect(oldest).to.include({
      deviceId: DEVICE_ID,
      channelId: CHANNEL_ID,
      alarmMethod: '5',
      alarmType: '2',
      alarmMethodDesc: '视频报警',
      alarmTypeDesc: '运动目标检测报警',
    })
    const totals: readonly [string, number][] = [
      ['start=2026-11-20T10:30:00%2B08:00', 1],
      ['range=2026-11-20T09:00:00%2B08:00~2026-11-20T10:30:00%2B08:00', 1],
      ['end=2026-11-20T09:00:00%2B08:00', 0],
    ]
    for (const [query, total] of totals) {
      expect((await rig.get(`alarms/${DEVICE_ID}?${query}`))['total'], query).to.equal(total)
    }
    expect((await rig.get(`alarms/${DEVICE_ID}?page=2&count=1`))['data']).to.have.length(1)
  })

  it('list them by their kinds', async () => {
    const device = await rig.registered()
    await device.alarm({ channelId: CHANNEL_ID, priority: 2, method: 5, type: 2, description: 'motion' })
    await device.alarm({ priority: 4, method: 6, type: 1, description: 'disk' })
    await waitFor(async () => (await rig.get(`alarms/${DEVICE_ID}`))['total'] === 2)
    const cases: readonly [string, readonly string[]][] = [
      ['startPriority=1&endPriority=2', ['motion']],
      ['alarmMethod=6', ['disk']],
      ['alarmType=2', ['motion']],
      ['alarmMethod=0', ['disk', 'motion']],
      ['startTime=2100-01-01T00:00:00', []],
    ]
    for (const [query, descriptions] of cases) {
      const { data } = await rig.get(`alarm/${DEVICE_ID}?${query}`)
      const found = (data as { alarmDescription: string }[]).map(({ alarmDescription }) => alarmDescription)
      expect(found.toSorted(), query).to.eql(descriptions)
    }
    expect(await rig.get('alarms/34020000001320000099')).to.include({ code: 404 })
  })

  it('reset those that a device repeats', async () => {
    const device = await rig.registered()
    expect(await rig.get(`alarm/reset/${DEVICE_ID}/${DEVICE_ID}?alarmMethod=2`)).to.include({ code: 0 })
    const reset = await device.waitFor(({ cmdType, message }) => {
      return cmdType === 'DeviceControl' && message.body.includes('ResetAlarm')
    })
    expect(reset.message.body.toString()).to.include('<AlarmMethod>2</AlarmMethod>')
  })

  it('take what webhooks send, and log it', async () => {
    const body = {
      serverInfo: 's',
      streamPath: 'live/a',
      alarmDesc: 'publish',
      alarmType: 65_537,
      createAt: '2026-11-20',
    }
    expect(await rig.post('alarm/receive', body)).to.include({ code: 0 })
    expect(rig.server.log.some(({ msg }) => msg === 'an alarm was received')).to.equal(true)
  })
})
