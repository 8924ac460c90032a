import { expect } from 'chai'
import { configChanges, parseConfig } from './device-config.ts'

describe('the configuration of a device', () => {
  const basic = { Name: 'Yard', Expiration: '3600', HeartBeatInterval: '60', HeartBeatCount: '3' }

  it('is read, without the parts that the device does not have', () => {
    const config = parseConfig({ BasicParam: basic })
    expect(config).to.eql({
      name: 'Yard',
      expiration: 3600,
      heartBeatInterval: 60,
      heartBeatCount: 3,
      frameMirror: undefined,
      alarmReport: undefined,
    })
    const newer = parseConfig({ BasicParam: basic, FrameMirror: '2', AlarmReport: { MotionDetection: '1' } })
    expect(newer).to.deep.include({ frameMirror: 2, alarmReport: { motionDetection: true, fieldDetection: false } })
    expect(parseConfig({ FrameMirror: { FrameMirror: '1' } }).frameMirror).to.equal(1)
  })

  it('is changed where it differs alone', () => {
    const before = parseConfig({ BasicParam: basic, FrameMirror: '0', AlarmReport: {} })
    expect(configChanges(before, before)).to.equal(undefined)
    expect(configChanges(before, { ...before, frameMirror: 3 })).to.eql({ frameMirror: 3 })
    const alarmReport = { motionDetection: true, fieldDetection: false }
    expect(configChanges(before, { ...before, alarmReport })).to.eql({ alarmReport })
    const named = configChanges(before, { ...before, name: 'Gate' })
    expect(named).to.eql({
      basicParam: { name: 'Gate', expiration: 3600, heartBeatInterval: 60, heartBeatCount: 3 },
    })
  })
})
