import { expect } from 'chai'
import { encodeGbText } from './charset.ts'
import { parseConfigDownload } from './config-download.ts'
import { parseCruiseTrack, parseCruiseTracks } from './cruise.ts'
import { parseDeviceInfo } from './device-info.ts'
import { parseDeviceStatus } from './device-status.ts'
import { parseHomePosition } from './home-position.ts'
import { parseMediaStatus } from './media-status.ts'
import { parseManscdp, type ManscdpMessage } from './message.ts'
import { parseMobilePosition } from './position.ts'
import { parsePresets } from './preset.ts'
import { parsePtzPosition } from './ptz-position.ts'
import { parseSdCards } from './sd-card.ts'
import { CHINA_TIME } from './times.ts'

const ID = '34020000001320000001'
const NO_STATUS = {
  isOk: true,
  isOnline: undefined,
  isWorking: undefined,
  reason: undefined,
  isEncoding: undefined,
  isRecording: undefined,
  deviceTimeMs: undefined,
  alarms: [],
}
const NO_INFO = {
  isOk: true,
  deviceName: undefined,
  manufacturer: undefined,
  model: undefined,
  firmware: undefined,
  channelCount: undefined,
}
const NO_MOVE = { speedKmh: undefined, direction: undefined, altitudeMeters: undefined }
const NO_VIEW = { horizontalFieldAngle: undefined, verticalFieldAngle: undefined, maxViewDistanceMeters: undefined }

const status = (message: ManscdpMessage) => parseDeviceStatus(message, CHINA_TIME)
const position = (message: ManscdpMessage) => parseMobilePosition(message, CHINA_TIME)
const config = (message: ManscdpMessage) => {
  const { isOk, parts } = parseConfigDownload(message, ['BasicParam', 'OSDConfig'])
  return { isOk, parts: [...parts] }
}

type Case = readonly [name: string, parse: (message: ManscdpMessage) => unknown, fields: string, value: unknown]

const CASES: readonly Case[] = [
  [
    'device info',
    parseDeviceInfo,
    '<DeviceName>录像机</DeviceName><Result>OK</Result><Manufacturer>大华</Manufacturer><Model>NVR</Model><Firmware>1.0</Firmware><Channel>8</Channel>',
    { isOk: true, deviceName: '录像机', manufacturer: '大华', model: 'NVR', firmware: '1.0', channelCount: 8 },
  ],
  ['device info that failed', parseDeviceInfo, '<Result>ERROR</Result>', { ...NO_INFO, isOk: false }],
  [
    'device status',
    status,
    '<Result>OK</Result><Online>ONLINE</Online><Status>OK</Status><Encode>ON</Encode><Record>OFF</Record><DeviceTime>2024-02-01T00:00:00</DeviceTime>' +
      '<Alarmstatus Num="2"><Item><DeviceID>1</DeviceID><DutyStatus>ONDUTY</DutyStatus></Item><Item><DeviceID>2</DeviceID><DutyStatus>?</DutyStatus></Item><Item/></Alarmstatus>',
    {
      isOk: true,
      isOnline: true,
      isWorking: true,
      reason: undefined,
      isEncoding: true,
      isRecording: false,
      deviceTimeMs: Date.UTC(2024, 0, 31, 16),
      alarms: [
        { deviceId: '1', duty: 'ONDUTY' },
        { deviceId: '2', duty: undefined },
      ],
    },
  ],
  [
    'device status in other words',
    status,
    '<Online>0</Online><Status>ERROR</Status><Reason>断电</Reason>',
    { ...NO_STATUS, isOnline: false, isWorking: false, reason: '断电' },
  ],
  [
    'a position',
    position,
    '<Time>2024-02-01T00:00:00</Time><Longitude>118.376</Longitude><Latitude>31.326</Latitude><Speed>50.5</Speed><Direction>90</Direction><Altitude>12</Altitude>',
    [
      {
        deviceId: ID,
        timeMs: Date.UTC(2024, 0, 31, 16),
        longitude: 118.376,
        latitude: 31.326,
        speedKmh: 50.5,
        direction: 90,
        altitudeMeters: 12,
      },
    ],
  ],
  [
    'positions of several devices',
    position,
    '<DeviceList Num="2"><Item><DeviceID>1</DeviceID><Longitude>1</Longitude><Latitude>2</Latitude></Item><Item><DeviceID>2</DeviceID></Item></DeviceList>',
    [{ ...NO_MOVE, deviceId: '1', timeMs: undefined, longitude: 1, latitude: 2 }],
  ],
  ['a position that is none', position, '<Longitude>200</Longitude><Latitude>0</Latitude>', []],
  [
    'presets',
    parsePresets,
    '<PresetList Num="3"><Item><PresetID>1</PresetID><PresetName>东门</PresetName></Item><Item><PresetID>2</PresetID></Item><Item/></PresetList>',
    [
      { id: 1, name: '东门' },
      { id: 2, name: '' },
    ],
  ],
  ['no presets', parsePresets, '<SumNum>0</SumNum>', []],
  ['the end of a recording', parseMediaStatus, '<NotifyType>121</NotifyType>', { isFileFinished: true }],
  ['another state of media', parseMediaStatus, '<NotifyType>122</NotifyType>', { isFileFinished: false }],
  [
    'a configuration',
    config,
    '<Result>OK</Result><BasicParam><Name>摄像头</Name><Expiration>3600</Expiration></BasicParam><OSDConfig><Item><Text>a</Text></Item></OSDConfig>',
    {
      isOk: true,
      parts: [
        [
          'BasicParam',
          [
            ['Name', '摄像头'],
            ['Expiration', '3600'],
          ],
        ],
        ['OSDConfig', [['Item', [['Text', 'a']]]]],
      ],
    },
  ],
  [
    'a configuration by other names',
    config,
    '<BasicParamCfg><Name>a</Name></BasicParamCfg><OSD>b</OSD>',
    {
      isOk: true,
      parts: [
        ['BasicParam', [['Name', 'a']]],
        ['OSDConfig', 'b'],
      ],
    },
  ],
  ['no configuration', config, '<Result>ERROR</Result><Other/>', { isOk: false, parts: [] }],
  [
    'a home position',
    parseHomePosition,
    '<HomePosition><Enabled>1</Enabled><ResetTime>60</ResetTime><PresetIndex>0</PresetIndex></HomePosition>',
    { isEnabled: true, resetSeconds: 60, presetIndex: 0 },
  ],
  [
    'a home position that is off',
    parseHomePosition,
    '<HomePosition><Enabled>false</Enabled></HomePosition>',
    { isEnabled: false, resetSeconds: undefined, presetIndex: undefined },
  ],
  ['no home position', parseHomePosition, '', undefined],
  [
    'tours',
    parseCruiseTracks,
    '<CruiseTrackList Num="2"><CruiseTrack><Number>0</Number><Name>白天</Name></CruiseTrack><CruiseTrack><Name>x</Name></CruiseTrack></CruiseTrackList>',
    [{ number: 0, name: '白天' }],
  ],
  [
    'a tour',
    parseCruiseTrack,
    '<Number>1</Number><Name>夜间</Name><CruisePointList Num="2"><CruisePoint><PresetIndex>3</PresetIndex><StayTime>10</StayTime><Speed>5</Speed></CruisePoint><CruisePoint/></CruisePointList>',
    { number: 1, name: '夜间', points: [{ presetIndex: 3, staySeconds: 10, speed: 5 }] },
  ],
  [
    'where a camera looks',
    parsePtzPosition,
    '<Pan>180.25</Pan><Tilt>-12.5</Tilt><Zoom>3</Zoom><HorizontalFieldAngle>31.2</HorizontalFieldAngle><VerticalFieldAngle>20</VerticalFieldAngle><MaxViewDistance>100</MaxViewDistance>',
    {
      pan: 180.25,
      tilt: -12.5,
      zoom: 3,
      horizontalFieldAngle: 31.2,
      verticalFieldAngle: 20,
      maxViewDistanceMeters: 100,
    },
  ],
  [
    'where a camera looks, an element deeper',
    parsePtzPosition,
    '<PTZStatus><pan>1</pan><tilt>2</tilt></PTZStatus>',
    { ...NO_VIEW, pan: 1, tilt: 2, zoom: undefined },
  ],
  [
    'memory cards',
    parseSdCards,
    '<SumNum>2</SumNum><SDCardStatusInfo Num="2"><Item><ID>1</ID><HddName>卡</HddName><Status>OK</Status><Capacity>131072</Capacity><FreeSpace>65536</FreeSpace></Item>' +
      '<Item><ID>2</ID><Status>formatting</Status><FormatProgress>50</FormatProgress></Item></SDCardStatusInfo>',
    [
      {
        id: 1,
        name: '卡',
        status: 'ok',
        formatProgress: undefined,
        capacityMegabytes: 131_072,
        freeMegabytes: 65_536,
      },
      {
        id: 2,
        name: '',
        status: 'formatting',
        formatProgress: 50,
        capacityMegabytes: undefined,
        freeMegabytes: undefined,
      },
    ],
  ],
]

describe('answers and notices of devices', () => {
  for (const [name, parse, fields, value] of CASES) {
    it(`are read: ${name}`, () => {
      const xml = `<?xml version="1.0" encoding="GB2312"?>\r\n<Response><CmdType>Any</CmdType><SN>1</SN><DeviceID>${ID}</DeviceID>${fields}</Response>`
      expect(parse(parseManscdp(encodeGbText(xml, 'GB2312')))).to.eql(value)
    })
  }
})
