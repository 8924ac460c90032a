import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { panTiltCommand } from './front-end-command.ts'
import { parseCatalog } from './catalog.ts'
import { encodeGbText, type GbCharset } from './charset.ts'
import { basicParamConfig, deviceConfig, snapshotControl } from './configs.ts'
import {
  alarmResetControl,
  dragZoomControl,
  frontEndControl,
  guardControl,
  homePositionControl,
  keyframeControl,
  recordControl,
  teleBootControl,
} from './controls.ts'
import type { XmlElement } from './element.ts'
import { MAX_BODY_BYTES, parseManscdp, serializeManscdp, type ManscdpBody, type ManscdpField } from './message.ts'
import {
  alarmQuery,
  catalogQuery,
  configDownloadQuery,
  cruiseTrackListQuery,
  cruiseTrackQuery,
  deviceInfoQuery,
  deviceStatusQuery,
  homePositionQuery,
  mobilePositionQuery,
  presetQuery,
  ptzPositionQuery,
  recordInfoQuery,
  sdCardStatusQuery,
} from './queries.ts'
import { alarmSubscription, catalogSubscription, mobilePositionSubscription } from './subscriptions.ts'
import { CHINA_TIME } from './times.ts'

const ID = '34020000001320000001'
const CHARSETS: readonly GbCharset[] = ['GB2312', 'GB18030', 'UTF-8']
const TIME = { startMs: Date.UTC(2024, 0, 1), endMs: Date.UTC(2024, 0, 1, 16), zone: CHINA_TIME }
const START = '2024-01-01T08:00:00'
const END = '2024-01-02T00:00:00'
const STOP = panTiltCommand({ pan: 0, tilt: 0, zoom: 0 })
const AREA = { windowWidth: 1920, windowHeight: 1080, centerX: 960, centerY: 540, width: 320, height: 180 }
const AREA_XML =
  '<Length>1920</Length><Width>1080</Width><MidPointX>960</MidPointX><MidPointY>540</MidPointY><LengthX>320</LengthX><LengthY>180</LengthY>'
const SEGMENT = { start: { hour: 8, minute: 0, second: 0 }, stop: { hour: 20, minute: 30, second: 59 } }

type Case = readonly [name: string, body: ManscdpBody, root: ManscdpBody['kind'], cmdType: string, fields: string]

/** Each message that the platform sends, with its fields as they are written; all are read again as well. */
const CASES: readonly Case[] = [
  ['catalog', catalogQuery(ID), 'Query', 'Catalog', ''],
  [
    'catalog of a time',
    catalogQuery(ID, TIME),
    'Query',
    'Catalog',
    `<StartTime>${START}</StartTime><EndTime>${END}</EndTime>`,
  ],
  ['device info', deviceInfoQuery(ID), 'Query', 'DeviceInfo', ''],
  ['device status', deviceStatusQuery(ID), 'Query', 'DeviceStatus', ''],
  [
    'recordings',
    recordInfoQuery(ID, TIME),
    'Query',
    'RecordInfo',
    `<StartTime>${START}</StartTime><EndTime>${END}</EndTime><Secrecy>0</Secrecy><Type>all</Type>`,
  ],
  [
    'recordings of a kind',
    recordInfoQuery(ID, {
      ...TIME,
      type: 'alarm',
      filePath: '/a&b',
      address: '东门',
      secrecy: 1,
      recorderId: 'r',
      isIndistinct: true,
      streamNumber: 1,
    }),
    'Query',
    'RecordInfo',
    `<StartTime>${START}</StartTime><EndTime>${END}</EndTime><FilePath>/a&amp;b</FilePath><Address>东门</Address><Secrecy>1</Secrecy>` +
      '<Type>alarm</Type><RecorderID>r</RecorderID><IndistinctQuery>1</IndistinctQuery><StreamNumber>1</StreamNumber>',
  ],
  ['alarms', alarmQuery(ID), 'Query', 'Alarm', ''],
  [
    'alarms of a kind',
    alarmQuery(ID, { startPriority: 1, endPriority: 4, method: '2/5', type: 3, time: TIME }),
    'Query',
    'Alarm',
    '<StartAlarmPriority>1</StartAlarmPriority><EndAlarmPriority>4</EndAlarmPriority><AlarmMethod>2/5</AlarmMethod>' +
      `<AlarmType>3</AlarmType><StartAlarmTime>${START}</StartAlarmTime><EndAlarmTime>${END}</EndAlarmTime>`,
  ],
  [
    'configuration',
    configDownloadQuery(ID, ['BasicParam', 'VideoParamOpt']),
    'Query',
    'ConfigDownload',
    '<ConfigType>BasicParam/VideoParamOpt</ConfigType>',
  ],
  ['presets', presetQuery(ID), 'Query', 'PresetQuery', ''],
  ['position', mobilePositionQuery(ID), 'Query', 'MobilePosition', '<Interval>5</Interval>'],
  ['home position', homePositionQuery(ID), 'Query', 'HomePositionQuery', ''],
  ['tours', cruiseTrackListQuery(ID), 'Query', 'CruiseTrackListQuery', ''],
  ['a tour', cruiseTrackQuery(ID, 0), 'Query', 'CruiseTrackQuery', '<Number>0</Number>'],
  ['where it looks', ptzPositionQuery(ID), 'Query', 'PTZPosition', ''],
  ['memory cards', sdCardStatusQuery(ID), 'Query', 'SDCardStatus', ''],
  ['notices of the catalog', catalogSubscription(ID).body, 'Query', 'Catalog', ''],
  [
    'notices of alarms',
    alarmSubscription(ID).body,
    'Query',
    'Alarm',
    '<StartAlarmPriority>0</StartAlarmPriority><EndAlarmPriority>0</EndAlarmPriority><AlarmMethod>0</AlarmMethod>',
  ],
  [
    'notices of positions',
    mobilePositionSubscription(ID, 30).body,
    'Query',
    'MobilePosition',
    '<Interval>30</Interval>',
  ],
  ['front end', frontEndControl(ID, STOP), 'Control', 'DeviceControl', `<PTZCmd>${STOP}</PTZCmd>`],
  [
    'front end with a name',
    frontEndControl(ID, STOP, { presetName: '东门<1>' }),
    'Control',
    'DeviceControl',
    `<PTZCmd>${STOP}</PTZCmd><PTZCmdParams><PresetName>东门&lt;1&gt;</PresetName></PTZCmdParams>`,
  ],
  ['boot', teleBootControl(ID), 'Control', 'DeviceControl', '<TeleBoot>Boot</TeleBoot>'],
  ['record', recordControl(ID, 'Record'), 'Control', 'DeviceControl', '<RecordCmd>Record</RecordCmd>'],
  [
    'stop recording',
    recordControl(ID, 'StopRecord', 1),
    'Control',
    'DeviceControl',
    '<RecordCmd>StopRecord</RecordCmd><StreamNumber>1</StreamNumber>',
  ],
  ['guard', guardControl(ID, 'SetGuard'), 'Control', 'DeviceControl', '<GuardCmd>SetGuard</GuardCmd>'],
  ['reset all alarms', alarmResetControl(ID), 'Control', 'DeviceControl', '<AlarmCmd>ResetAlarm</AlarmCmd>'],
  [
    'reset alarms',
    alarmResetControl(ID, { method: '2', type: 1 }),
    'Control',
    'DeviceControl',
    '<AlarmCmd>ResetAlarm</AlarmCmd><Info><AlarmMethod>2</AlarmMethod><AlarmType>1</AlarmType></Info>',
  ],
  ['keyframe of 2022', keyframeControl(ID, '3.0'), 'Control', 'DeviceControl', '<IFrameCmd>Send</IFrameCmd>'],
  ['keyframe of 2016', keyframeControl(ID, '2.0'), 'Control', 'DeviceControl', '<IFameCmd>Send</IFameCmd>'],
  ['zoom in', dragZoomControl(ID, 'in', AREA), 'Control', 'DeviceControl', `<DragZoomIn>${AREA_XML}</DragZoomIn>`],
  ['zoom out', dragZoomControl(ID, 'out', AREA), 'Control', 'DeviceControl', `<DragZoomOut>${AREA_XML}</DragZoomOut>`],
  [
    'go home',
    homePositionControl(ID, { isEnabled: true, resetSeconds: 60, presetIndex: 3 }),
    'Control',
    'DeviceControl',
    '<HomePosition><Enabled>1</Enabled><ResetTime>60</ResetTime><PresetIndex>3</PresetIndex></HomePosition>',
  ],
  [
    'stay',
    homePositionControl(ID, { isEnabled: false }),
    'Control',
    'DeviceControl',
    '<HomePosition><Enabled>0</Enabled></HomePosition>',
  ],
  [
    'pictures',
    snapshotControl(ID, { count: 2, intervalSeconds: 1, uploadUrl: 'http://h/u?a=1&b=2', sessionId: 's'.repeat(32) }),
    'Control',
    'DeviceConfig',
    '<SnapShotConfig><SnapNum>2</SnapNum><Interval>1</Interval><UploadURL>http://h/u?a=1&amp;b=2</UploadURL>' +
      `<SessionID>${'s'.repeat(32)}</SessionID></SnapShotConfig>`,
  ],
  [
    'basic parameters',
    basicParamConfig(ID, { name: '摄像头', heartbeatIntervalSeconds: 60, heartbeatCount: 3 }),
    'Control',
    'DeviceConfig',
    '<BasicParam><Name>摄像头</Name><HeartBeatInterval>60</HeartBeatInterval><HeartBeatCount>3</HeartBeatCount></BasicParam>',
  ],
  [
    'mirror',
    deviceConfig(ID, { type: 'FrameMirror', mode: 3 }),
    'Control',
    'DeviceConfig',
    '<FrameMirror>3</FrameMirror>',
  ],
  [
    'what is an alarm',
    deviceConfig(ID, { type: 'AlarmReport', tellsMotion: true, tellsIntrusion: false }),
    'Control',
    'DeviceConfig',
    '<AlarmReport><MotionDetection>1</MotionDetection><FieldDetection>0</FieldDetection></AlarmReport>',
  ],
  [
    'recordings of alarms',
    deviceConfig(ID, { type: 'VideoAlarmRecord', isEnabled: true, afterSeconds: 30, streamNumber: 0 }),
    'Control',
    'DeviceConfig',
    '<VideoAlarmRecord><RecordEnable>1</RecordEnable><RecordTime>30</RecordTime><StreamNumber>0</StreamNumber></VideoAlarmRecord>',
  ],
  [
    'a plan',
    deviceConfig(ID, {
      type: 'VideoRecordPlan',
      isEnabled: true,
      days: [{ weekDay: 1, segments: [SEGMENT] }],
      streamNumber: 0,
    }),
    'Control',
    'DeviceConfig',
    '<VideoRecordPlan><RecordEnable>1</RecordEnable><RecordScheduleSumNum>1</RecordScheduleSumNum><RecordSchedule>' +
      '<WeekDayNum>1</WeekDayNum><TimeSegmentSumNum>1</TimeSegmentSumNum><TimeSegment><StartHour>8</StartHour><StartMin>0</StartMin>' +
      '<StartSec>0</StartSec><StopHour>20</StopHour><StopMin>30</StopMin><StopSec>59</StopSec></TimeSegment></RecordSchedule>' +
      '<StreamNumber>0</StreamNumber></VideoRecordPlan>',
  ],
]

const BROKEN: readonly (readonly [name: string, body: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['no XML', Buffer.from('v=0\r\n')],
  ['another root', Buffer.from('<html><CmdType>Catalog</CmdType></html>')],
  ['no command', Buffer.from('<Query><SN>1</SN></Query>')],
  ['too much', Buffer.alloc(MAX_BODY_BYTES + 1, '<Query>')],
]

function fieldsOf({ children }: XmlElement): readonly ManscdpField[] {
  return children.map((child) => [child.name, child.children.length === 0 ? child.value : fieldsOf(child)])
}

function fieldsSent(fields: readonly ManscdpField[]): readonly ManscdpField[] {
  return fields.flatMap(([name, value]): readonly ManscdpField[] => {
    if (value === undefined) return []
    return [[name, typeof value === 'object' ? fieldsSent(value) : String(value)]]
  })
}

describe('MANSCDP', () => {
  for (const [name, body, kind, cmdType, fields] of CASES) {
    for (const charset of CHARSETS) {
      it(`is written and read in ${charset}: ${name}`, () => {
        const bytes = serializeManscdp({ ...body, sn: 17 }, charset)
        const head = `<CmdType>${cmdType}</CmdType><SN>17</SN><DeviceID>${ID}</DeviceID>`
        const xml = `<?xml version="1.0" encoding="${charset}"?><${kind}>${head}${fields}</${kind}>`
        const lines = new TextDecoder(charset).decode(bytes).split('\r\n')
        expect(lines.join('')).to.equal(xml)
        const { root, ...message } = parseManscdp(bytes)
        expect(message).to.eql({ kind, cmdType, sn: 17, deviceId: ID })
        expect(fieldsOf(root).slice(3)).to.eql(fieldsSent(body.fields))
      })
    }
  }

  it('is asked for by events', () => {
    const subscriptions = [catalogSubscription, alarmSubscription, mobilePositionSubscription]
    expect(subscriptions.map((subscription) => subscription(ID).event)).to.eql(['Catalog', 'presence', 'presence'])
  })

  it('leaves out what XML can not hold', () => {
    const body = basicParamConfig(ID, { name: 'a\u0000b\u001Fc\uD800d\uFFFEe' })
    const { root } = parseManscdp(serializeManscdp({ ...body, sn: 1 }, 'UTF-8'))
    expect(root.child('BasicParam')?.text('Name')).to.equal('abcde')
  })

  it('may lack its number and its device, and be in any case', () => {
    const { root: _root, ...message } = parseManscdp(Buffer.from('<notify><cmdtype>Keepalive</cmdtype></notify>'))
    expect(message).to.eql({ kind: 'Notify', cmdType: 'Keepalive', sn: 0, deviceId: '' })
  })

  for (const [name, body] of BROKEN) {
    it(`is refused: ${name}`, () => {
      expect(() => parseManscdp(body)).to.throw(MalformedError)
    })
  }

  it('is read or refused, whatever its bytes are', () => {
    const catalog = `<Response><CmdType>Catalog</CmdType><SN>1</SN><DeviceList Num="1"><Item><DeviceID>${ID}</DeviceID><Name>东门</Name></Item></DeviceList></Response>`
    const seeds = CHARSETS.flatMap((charset) => [
      ...CASES.map(([, body]) => serializeManscdp({ ...body, sn: 1 }, charset)),
      encodeGbText(catalog, charset),
    ])
    const edits = fc.array(fc.tuple(fc.nat(600), fc.nat(255)), { maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...seeds), edits, fc.nat(600), (seed, changes, cut) => {
        const bytes = Buffer.from(seed)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        for (const part of [bytes, bytes.subarray(0, cut % bytes.length)]) {
          try {
            const message = parseManscdp(part)
            expect(message.cmdType).not.to.equal('')
            expect(parseCatalog(message).items.every(({ deviceId }) => deviceId !== '')).to.equal(true)
          } catch (error) {
            if (!(error instanceof MalformedError)) throw error
          }
        }
      }),
      { numRuns: 1000, seed: 28_181 },
    )
  })
})
