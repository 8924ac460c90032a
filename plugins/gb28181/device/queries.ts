import type { ChannelState } from './channel-state.ts'
import { bodyOf, type ReceivedBody } from './manscdp/body.ts'
import { catalogAnswers } from './manscdp/catalog.ts'
import { dateTimeText } from './manscdp/date-time.ts'
import { recordAnswers } from './manscdp/recordings.ts'
import { element, elementsOf, textOf, type XmlElement } from './manscdp/xml.ts'
import type { Signalling } from './signalling.ts'

/** The settings of a device that `DeviceConfig` changes (GB/T 28181-2022 A.2.3.2). */
export type BasicParam = {
  readonly name: string
  readonly expiration: number
  readonly heartBeatInterval: number
  readonly heartBeatCount: number
}

/** The parts of a device that queries are answered from. */
export type QueriedDevice = {
  readonly signalling: Signalling
  readonly basicParam: BasicParam
  readonly alarms: readonly XmlElement[]
  readonly state: (channelId: string) => ChannelState
}

const VIDEO_PARAM_OPT = { DownloadSpeed: '1/2/4', Resolution: '4/5/6' }

/** The bodies that answer a query, or the fields of one; undefined for a query that the device does not know. */
export function answersTo(query: ReceivedBody, device: QueriedDevice): (XmlElement | string)[] | undefined {
  const { signalling } = device
  if (query.cmdType === 'Catalog') {
    const { channels, options, quirks } = signalling
    const asked = channels.filter(({ id }) => query.deviceId === signalling.id || id === query.deviceId)
    return catalogAnswers(query, asked, options, quirks)
  }
  if (query.cmdType === 'RecordInfo') return recordAnswers(query, signalling.options, signalling.quirks)
  const fields = FIELDS[query.cmdType]?.(query, device)
  return fields === undefined ? undefined : [bodyOf('Response', query, fields)]
}

type Fields = (query: ReceivedBody, device: QueriedDevice) => XmlElement[]

/** The fields of the answers in one message, by the query (A.2.6). */
const FIELDS: Readonly<Record<string, Fields>> = {
  DeviceInfo: (_, { signalling: { options, channels }, basicParam }) =>
    elementsOf({
      DeviceName: basicParam.name,
      Result: 'OK',
      Manufacturer: options.manufacturer ?? 'Sluice',
      Model: options.model ?? 'gb-device',
      Firmware: options.firmware ?? '1.0',
      Channel: channels.length,
    }),
  DeviceStatus: ({ deviceId }, { signalling: { quirks }, state }) => {
    const { isRecording, isGuarded } = state(deviceId)
    const duty = element('Item', elementsOf({ DeviceID: deviceId, DutyStatus: isGuarded ? 'ONDUTY' : 'OFFDUTY' }))
    return [
      ...elementsOf({
        Result: 'OK',
        Online: 'ONLINE',
        Status: quirks.has('status-digits') ? '1' : 'OK',
        Encode: 'ON',
        Record: isRecording ? 'ON' : 'OFF',
        DeviceTime: dateTimeText(new Date()),
      }),
      element('Alarmstatus', [duty], { Num: 1 }),
    ]
  },
  ConfigDownload: (query, device) => [element('Result', 'OK'), ...configOf(query, device)],
  PresetQuery: ({ deviceId }, { state }) => {
    const items = [...state(deviceId).frontEnd.presets.keys()].map((preset) =>
      element('Item', elementsOf({ PresetID: preset, PresetName: `Preset ${preset}` })),
    )
    return [element('SumNum', items.length), element('PresetList', items, { Num: items.length })]
  },
  HomePositionQuery: ({ deviceId }, { state }) => {
    const { isEnabled, resetSeconds, preset } = state(deviceId).home
    const fields = { Enabled: isEnabled ? 1 : 0, ResetTime: resetSeconds, PresetIndex: preset }
    return [element('HomePosition', elementsOf(fields))]
  },
  CruiseTrackListQuery: ({ deviceId }, { state }) => {
    const items = [...state(deviceId).frontEnd.cruises.keys()].map((number) =>
      element('CruiseTrack', elementsOf({ Number: number, Name: `Cruise ${number}` })),
    )
    return [element('SumNum', items.length), element('CruiseTrackList', items, { Num: items.length })]
  },
  CruiseTrackQuery: ({ root, deviceId }, { state }) => {
    const number = Number(textOf(root, 'Number') ?? 0)
    const { presets = [], speed = 0, dwellSeconds = 0 } = state(deviceId).frontEnd.cruises.get(number) ?? {}
    const points = presets.map((preset) =>
      element('CruisePoint', elementsOf({ PresetIndex: preset, StayTime: dwellSeconds, Speed: speed })),
    )
    return [
      ...elementsOf({ Number: number, Name: `Cruise ${number}`, SumNum: points.length }),
      element('CruisePointList', points, { Num: points.length }),
    ]
  },
  PTZPosition: ({ deviceId }, { state }) => {
    const { pan, tilt, zoom } = state(deviceId).frontEnd.pose
    return elementsOf({ Pan: pan.toFixed(2), Tilt: tilt.toFixed(2), Zoom: zoom.toFixed(2) })
  },
  SDCardStatus: () => {
    const card = { ID: 1, HddName: 'SD card', Status: 'ok', FormatProgress: 0, Capacity: 65_536, FreeSpace: 32_768 }
    return [element('SumNum', 1), element('SDCardStatusInfo', [element('Item', elementsOf(card))], { Num: 1 })]
  },
  MobilePosition: (_, { signalling: { options } }) => positionFields(options.position),
  Alarm: (_, { alarms }) => [
    element('SumNum', alarms.length),
    ...(alarms.length === 0 ? [] : [element('AlarmList', alarms, { Num: alarms.length })]),
  ],
}

/** The fields of a position (A.2.5.6); at 0 where the device knows none. */
export function positionFields({
  longitude = 0,
  latitude = 0,
  speed = 0,
  direction = 0,
  altitude = 0,
}: Partial<Record<'longitude' | 'latitude' | 'speed' | 'direction' | 'altitude', number>> = {}): XmlElement[] {
  return elementsOf({
    Time: dateTimeText(new Date()),
    Longitude: longitude,
    Latitude: latitude,
    Speed: speed,
    Direction: direction,
    Altitude: altitude,
  })
}

/** An element for each type that is asked for, joined by `/` (A.2.4.7). */
function configOf({ root }: ReceivedBody, { signalling, basicParam }: QueriedDevice): XmlElement[] {
  const { quirks } = signalling
  const isBroken = quirks.has('bad-keepalive-parameters')
  const basic = {
    Name: basicParam.name,
    Expiration: isBroken ? 'never' : basicParam.expiration,
    HeartBeatInterval: isBroken ? 0 : basicParam.heartBeatInterval,
    HeartBeatCount: isBroken ? -1 : basicParam.heartBeatCount,
  }
  const known: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
    BasicParam: basic,
    VideoParamOpt: VIDEO_PARAM_OPT,
    SVACEncodeConfig: {},
    SVACDecodeConfig: {},
    OSDConfig: { Length: 1920, Width: 1080, TimeX: 0, TimeY: 0, TimeEnable: 1, TimeType: 0, TextEnable: 0, SumNum: 0 },
    PictureMask: { On: 0, SumNum: 0 },
    FrameMirror: { FrameMirror: 0 },
    AlarmReport: { MotionDetection: 0, FieldDetection: 0 },
    SnapShotConfig: { SnapNum: 1, Interval: 1 },
  }
  const types = (textOf(root, 'ConfigType') ?? '').split('/').map((type) => type.trim())
  return types.flatMap((type) => {
    const fields = known[type]
    if (fields === undefined) return []
    return [element(quirks.has('other-config-names') ? `${type}Cfg` : type, elementsOf(fields))]
  })
}
