import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { CHANNEL_ID, DEVICE_ID, started } from './fixtures/rig.ts'
import {
  headerIn,
  PLATFORM_ID,
  responseTo,
  type PlatformMessage,
  type PlatformOptions,
} from './fixtures/test-platform.ts'

const START = new Date(2024, 4, 1, 10)
const RIGHT = 'A50F0101200000D6'
const STOP = 'A50F0100000000B5'

describe('the answers of a device to queries', () => {
  const cases = [
    { cmdType: 'DeviceInfo', has: ['<DeviceName>Gate</DeviceName>', '<Channel>1</Channel>', '<Result>OK</Result>'] },
    { cmdType: 'DeviceStatus', has: ['<Online>ONLINE</Online>', '<Status>OK</Status>', '<Alarmstatus Num="1">'] },
    { cmdType: 'PresetQuery', has: ['<SumNum>0</SumNum>', '<PresetList Num="0">'] },
    { cmdType: 'HomePositionQuery', has: ['<Enabled>0</Enabled>'] },
    { cmdType: 'CruiseTrackListQuery', has: ['<CruiseTrackList Num="0">'] },
    {
      cmdType: 'CruiseTrackQuery',
      fields: '<Number>3</Number>',
      has: ['<Number>3</Number>', '<CruisePointList Num="0">'],
    },
    { cmdType: 'PTZPosition', has: ['<Pan>0.00</Pan>', '<Zoom>1.00</Zoom>'] },
    { cmdType: 'SDCardStatus', has: ['<HddName>SD card</HddName>'] },
    { cmdType: 'MobilePosition', has: ['<Longitude>116.3</Longitude>', '<Latitude>39.9</Latitude>'] },
    { cmdType: 'Alarm', has: ['<SumNum>0</SumNum>'] },
    {
      cmdType: 'ConfigDownload',
      fields: '<ConfigType>BasicParam/VideoParamOpt</ConfigType>',
      has: ['<BasicParam>', '<HeartBeatInterval>60</HeartBeatInterval>', '<VideoParamOpt>'],
    },
    { cmdType: 'RecordInfo', has: ['<SumNum>1</SumNum>', '<StartTime>2024-05-01T10:00:00</StartTime>'] },
    { cmdType: 'NoSuchQuery', has: ['<Result>ERROR</Result>'] },
  ]
  for (const { cmdType, fields = '', has } of cases) {
    it(`has ${cmdType}`, async () => {
      const { platform } = await started({
        name: 'Gate',
        position: { longitude: 116.3, latitude: 39.9 },
        recordings: [{ start: START, end: new Date(START.getTime() + 60_000) }],
      })
      const [answer] = await platform.ask(DEVICE_ID, 'Query', cmdType, fields)
      expect(answer).to.include(`<CmdType>${cmdType}</CmdType>`).and.include(`<DeviceID>${DEVICE_ID}</DeviceID>`)
      for (const part of has) expect(answer).to.include(part)
    })
  }

  it('wait for the 200 of each page before the next', async () => {
    const held: PlatformMessage[] = []
    const answerTo: PlatformOptions['answerTo'] = (message) => {
      if (!message.body.includes('<Response>')) return undefined
      held.push(message)
      return ''
    }
    const { platform } = await started({ transport: 'tcp', channels: 4, pageSize: 2 }, { answerTo })
    await platform.tell(DEVICE_ID, 'Query', 'Catalog')
    await waitFor(() => held.length > 0)
    await platform.request('OPTIONS', DEVICE_ID)
    expect(held).to.have.length(1)
    held[0]!.answer(responseTo(held[0]!, '200 OK'))
    await waitFor(() => held.length === 2)
  })
})

describe('a device that is controlled', () => {
  it('moves, and says where to', async () => {
    const { platform, device, events } = await started()
    const { frontEnd } = device.state(CHANNEL_ID)
    await platform.tell(CHANNEL_ID, 'Control', 'DeviceControl', `<PTZCmd>${RIGHT}</PTZCmd>`)
    expect(frontEnd.motion).to.eql({ pan: 0x20, tilt: 0, zoom: 0 })
    await platform.tell(CHANNEL_ID, 'Control', 'DeviceControl', `<PTZCmd>${STOP}</PTZCmd>`)
    expect(frontEnd.motion.pan).to.equal(0)
    await platform.tell(CHANNEL_ID, 'Control', 'DeviceControl', '<PTZCmd>A50F0101200000D7</PTZCmd>')
    expect(frontEnd.problems).to.eql(['checksum'])
    expect(events.filter(({ kind }) => kind === 'control')).to.have.length(3)
    const exact = '<PTZPreciseCtrl><Pan>30</Pan><Tilt>-10</Tilt><Zoom>4</Zoom></PTZPreciseCtrl>'
    await platform.ask(CHANNEL_ID, 'Control', 'DeviceControl', exact)
    const [position] = await platform.ask(CHANNEL_ID, 'Query', 'PTZPosition')
    expect(position).to.include('<Pan>30.00</Pan>').and.include('<Tilt>-10.00</Tilt>').and.include('<Zoom>4.00</Zoom>')
  })

  const answered = [
    { control: '<RecordCmd>Record</RecordCmd>', result: 'OK', shows: '<Record>ON</Record>' },
    { control: '<RecordCmd>Other</RecordCmd>', result: 'ERROR', shows: '<Record>OFF</Record>' },
    { control: '<GuardCmd>SetGuard</GuardCmd>', result: 'OK', shows: '<DutyStatus>ONDUTY</DutyStatus>' },
    { control: '<AlarmCmd>ResetAlarm</AlarmCmd>', result: 'OK', shows: '' },
    { control: '<NoSuchCmd>1</NoSuchCmd>', result: 'ERROR', shows: '' },
  ]
  for (const { control, result, shows } of answered) {
    it(`answers ${control} by ${result}`, async () => {
      const { platform } = await started()
      const [answer] = await platform.ask(CHANNEL_ID, 'Control', 'DeviceControl', control)
      expect(answer).to.include(`<Result>${result}</Result>`).and.include('<CmdType>DeviceControl</CmdType>')
      const [status] = await platform.ask(CHANNEL_ID, 'Query', 'DeviceStatus')
      expect(status).to.include(shows)
    })
  }

  it('keeps its home position, and what was dragged', async () => {
    const { platform, device } = await started()
    const home =
      '<HomePosition><Enabled>1</Enabled><ResetTime>30</ResetTime><PresetIndex>2</PresetIndex></HomePosition>'
    await platform.ask(CHANNEL_ID, 'Control', 'DeviceControl', home)
    const [answer] = await platform.ask(CHANNEL_ID, 'Query', 'HomePositionQuery')
    expect(answer).to.include('<Enabled>1</Enabled>').and.include('<PresetIndex>2</PresetIndex>')
    await platform.tell(CHANNEL_ID, 'Control', 'DeviceControl', '<DragZoomIn><Length>100</Length></DragZoomIn>')
    expect(device.state(CHANNEL_ID).dragZoom).to.eql({ direction: 'in', fields: { Length: '100' } })
  })

  it('takes settings, and gives them out again', async () => {
    const { platform, device } = await started()
    const basic =
      '<BasicParam><Name>New</Name><Expiration>7200</Expiration><HeartBeatInterval>0</HeartBeatInterval></BasicParam>'
    const [answer] = await platform.ask(DEVICE_ID, 'Control', 'DeviceConfig', basic)
    expect(answer).to.include('<Result>OK</Result>')
    expect(device.basicParam).to.include({ name: 'New', expiration: 7200, heartBeatInterval: 60 })
  })

  it('forgets its sessions and registers anew when it is booted', async () => {
    const { platform } = await started()
    await platform.tell(DEVICE_ID, 'Control', 'DeviceControl', '<TeleBoot>Boot</TeleBoot>')
    await platform.wait('REGISTER', /^/u, 2)
  })

  it('refuses a broadcast', async () => {
    const { platform } = await started()
    const fields = `<SourceID>${PLATFORM_ID}</SourceID><TargetID>${CHANNEL_ID}</TargetID>`
    await platform.tell(DEVICE_ID, 'Notify', 'Broadcast', fields, 77)
    const [answer] = await platform.wait('MESSAGE', /<SN>77<\/SN>/u)
    expect(answer!.body).to.include('<Result>ERROR</Result>')
  })

  it('uploads snapshots, and tells when they are there', async () => {
    const { platform } = await started()
    const uploads: { readonly name: string; readonly isJpeg: boolean }[] = []
    const server = createServer((request, response) => {
      request.once('data', (bytes: Buffer) => {
        const [, name = ''] = /filename="(\w+)\.jpg"/u.exec(request.headers['content-disposition'] ?? '') ?? []
        uploads.push({ name, isJpeg: bytes.subarray(0, 2).equals(Buffer.of(0xff, 0xd8)) })
      })
      request.on('end', () => response.end())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    keep({ close: () => void server.close() })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/snap`
    const config = `<SnapShotConfig><SnapNum>2</SnapNum><Interval>0.01</Interval><UploadURL>${url}</UploadURL><SessionID>s-1</SessionID></SnapShotConfig>`
    const [answer] = await platform.ask(CHANNEL_ID, 'Control', 'DeviceConfig', config)
    expect(answer).to.include('<Result>OK</Result>')
    const [notice] = await platform.wait('MESSAGE', /UploadSnapShotFinished/u)
    expect(uploads.map(({ isJpeg }) => isJpeg)).to.eql([true, true])
    expect(notice!.body).to.include('<SessionID>s-1</SessionID>').and.include('<SnapShotList Num="2">')
    for (const { name } of uploads) expect(notice!.body).to.include(`<SnapShotFileID>${name}</SnapShotFileID>`)
    server.closeAllConnections()
  })
})

describe('the alarms of a device', () => {
  it('are sent once, with what they are', async () => {
    const { platform, device } = await started()
    expect(await device.alarm({ channelId: CHANNEL_ID, method: 5, type: 2, description: 'line' })).to.equal(200)
    const [alarm] = platform.requests('MESSAGE', /<CmdType>Alarm</u)
    for (const part of [`<DeviceID>${CHANNEL_ID}<`, '<AlarmMethod>5<', '<AlarmType>2<', '<AlarmDescription>line<']) {
      expect(alarm!.body).to.include(part)
    }
    const [answer] = await platform.ask(DEVICE_ID, 'Query', 'Alarm')
    expect(answer).to.include('<AlarmList Num="1">')
    expect(device.repeatedAlarms).to.eql([])
  })

  it('of the device are sent again until they are reset', async () => {
    const { platform, device } = await started({ alarmRepeatMs: 10 })
    await device.alarm({ method: 2, type: 1 })
    const [first, second] = await platform.wait('MESSAGE', /<CmdType>Alarm</u, 3)
    const snOf = ({ body }: PlatformMessage) => /<SN>(\d+)</u.exec(body)?.[1]
    expect(snOf(second!)).not.to.equal(snOf(first!))
    await platform.ask(DEVICE_ID, 'Control', 'DeviceControl', '<AlarmCmd>ResetAlarm</AlarmCmd>')
    expect(device.repeatedAlarms).to.eql([])
  })
})

describe('the subscriptions at a device', () => {
  async function subscribed(cmdType: string, fields = '', options: Parameters<typeof started>[0] = {}) {
    const rig = await started(options)
    let number = 0
    const subscribe = (expires: number, toTag?: string) => {
      const body = `<?xml version="1.0"?><Query><CmdType>${cmdType}</CmdType><SN>5</SN><DeviceID>${DEVICE_ID}</DeviceID>${fields}</Query>`
      const headers = [`Event: ${cmdType};id=1`, `Expires: ${expires}`]
      return rig.platform.request('SUBSCRIBE', DEVICE_ID, {
        body,
        headers,
        callId: 'subscription',
        number: ++number,
        toTag,
      })
    }
    const answer = await subscribe(600)
    return { ...rig, subscribe, answer, toTag: /^To:.*;tag=(\w+)/imu.exec(answer.head)?.[1] }
  }

  it('are told of changes of the catalogue, in their dialog', async () => {
    const { platform, device, answer, toTag } = await subscribed('Catalog')
    expect([answer.status, headerIn(answer, 'Expires')]).to.eql([200, '600'])
    expect(answer.body).to.include('<Result>OK</Result>').and.include('<SN>5</SN>')
    expect(await device.notifyCatalog('OFF', device.channels[0]!)).to.eql([200])
    expect(await device.notifyCatalog('ADD', { id: '34020000001310000009', name: 'New' })).to.eql([200])
    const [off, add] = platform.requests('NOTIFY')
    expect(headerIn(off!, 'Event')).to.equal('Catalog;id=1')
    expect(headerIn(off!, 'Subscription-State')).to.match(/^active;expires=\d+$/u)
    expect(headerIn(off!, 'Call-ID')).to.equal('subscription')
    expect(headerIn(off!, 'From')).to.include(`tag=${toTag}`)
    expect(headerIn(off!, 'To')).to.include('tag=platform')
    expect(headerIn(off!, 'CSeq')).to.equal('1 NOTIFY')
    expect(off!.body).to.include(`<DeviceID>${CHANNEL_ID}</DeviceID>\r\n<Event>OFF</Event>`)
    expect(add!.body).to.include('<Name>New</Name>').and.include('<Event>ADD</Event>')
  })

  it('go on, end when they are told to, and are not known afterwards', async () => {
    const { platform, device, subscribe, toTag } = await subscribed('Alarm')
    expect((await subscribe(300, toTag)).status).to.equal(200)
    expect(device.subscriptions).to.have.length(1)
    expect(await device.notifyAlarm({ type: 1 })).to.eql([200])
    expect((await subscribe(0, toTag)).status).to.equal(200)
    expect(device.subscriptions).to.eql([])
    const last = (await platform.wait('NOTIFY', /^/u, 2)).at(-1)!
    expect(headerIn(last, 'Subscription-State')).to.equal('terminated;reason=deactivated')
    expect((await subscribe(300, toTag)).status).to.equal(481)
    expect(await device.notifyAlarm({ type: 1 })).to.eql([])
  })

  it('are forgotten by a device that has lost its memory', async () => {
    const { device, subscribe, toTag } = await subscribed('Catalog')
    device.forgetSubscriptions()
    expect((await subscribe(300, toTag)).status).to.equal(481)
    expect((await subscribe(300)).status).to.equal(200)
    expect(device.subscriptions).to.have.length(1)
  })

  it('run out', async () => {
    const { platform, device, subscribe, toTag } = await subscribed('Catalog')
    await subscribe(0.01, toTag)
    const [notice] = await platform.wait('NOTIFY')
    expect(headerIn(notice!, 'Subscription-State')).to.equal('terminated;reason=timeout')
    expect(device.subscriptions).to.eql([])
  })

  it('are told of positions, by hand and by themselves', async () => {
    const position = { longitude: 116.3, latitude: 39.9, speed: 12 }
    const { platform, device } = await subscribed('MobilePosition', '<Interval>1</Interval>', { position })
    const [notice] = await platform.wait('NOTIFY', /<Speed>12</u)
    expect(notice!.body).to.include('<Longitude>116.3</Longitude>')
    expect(await device.notifyPosition({ longitude: 1, latitude: 2 }, CHANNEL_ID)).to.eql([200])
    expect(platform.requests('NOTIFY', /<Longitude>1</u)[0]!.body).to.include(`<DeviceID>${CHANNEL_ID}</DeviceID>`)
  })
})
