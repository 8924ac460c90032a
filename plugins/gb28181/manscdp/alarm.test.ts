import { expect } from 'chai'
import { alarmResponse, describeAlarm, needsReset, parseAlarm } from './alarm.ts'
import { encodeGbText } from './charset.ts'
import { parseManscdp, serializeManscdp } from './message.ts'
import { CHINA_TIME } from './times.ts'

const ID = '34020000001340000001'

function alarmOf(fields: string) {
  const xml = `<Notify><CmdType>Alarm</CmdType><SN>9</SN><DeviceID>${ID}</DeviceID>${fields}</Notify>`
  return parseAlarm(parseManscdp(encodeGbText(xml, 'GB18030')), CHINA_TIME)
}

describe('alarms of devices', () => {
  it('have all fields of the standard', () => {
    const fields =
      '<AlarmPriority>4</AlarmPriority><AlarmMethod>5</AlarmMethod><AlarmTime>2024-02-01T00:00:00</AlarmTime><AlarmDescription>有人</AlarmDescription>' +
      '<Longitude>118.376</Longitude><Latitude>31.326</Latitude><Info><AlarmType>6</AlarmType><AlarmTypeParam><EventType>2</EventType></AlarmTypeParam></Info>'
    expect(alarmOf(fields)).to.eql({
      deviceId: ID,
      priority: 4,
      method: 5,
      type: 6,
      event: 'leave',
      timeMs: Date.UTC(2024, 0, 31, 16),
      description: '有人',
      longitude: 118.376,
      latitude: 31.326,
    })
  })

  it('may say nothing', () => {
    const alarm = alarmOf('<AlarmPriority>9</AlarmPriority>')
    expect(JSON.parse(JSON.stringify(alarm))).to.eql({ deviceId: ID, priority: 0, method: 0 })
    expect(describeAlarm(alarm)).to.eql({ priority: '', method: '', type: '' })
  })

  for (const [method, type, methodText, typeText, isRepeated] of [
    [1, undefined, '电话报警', '', false],
    [2, undefined, '设备报警', '', true],
    [2, 1, '设备报警', '视频丢失报警', true],
    [2, 5, '设备报警', '设备低温报警', true],
    [2, 6, '设备报警', '', true],
    [3, 1, '短信报警', '', false],
    [4, undefined, 'GPS报警', '', false],
    [5, 2, '视频报警', '运动目标检测报警', false],
    [5, 13, '视频报警', '图像遮挡报警', false],
    [6, 2, '设备故障报警', '存储设备风扇故障报警', false],
    [7, undefined, '其他报警', '', false],
  ] as const) {
    it(`are told by the tables: method ${method}, type ${type ?? 'none'}`, () => {
      const info = type === undefined ? '' : `<Info><AlarmType>${type}</AlarmType></Info>`
      const alarm = alarmOf(`<AlarmPriority>1</AlarmPriority><AlarmMethod>${method}</AlarmMethod>${info}`)
      expect(describeAlarm(alarm)).to.eql({ priority: '一级警情', method: methodText, type: typeText })
      expect(needsReset(alarm)).to.equal(isRepeated)
    })
  }

  it('are answered', () => {
    const { root, ...message } = parseManscdp(serializeManscdp({ ...alarmResponse(ID), sn: 9 }, 'GB2312'))
    expect(message).to.eql({ kind: 'Response', cmdType: 'Alarm', sn: 9, deviceId: ID })
    expect(root.text('Result')).to.equal('OK')
  })
})
