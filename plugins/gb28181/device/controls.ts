import type { ChannelState } from './channel-state.ts'
import { bodyOf, type ReceivedBody } from './manscdp/body.ts'
import { element, textOf, type XmlElement } from './manscdp/xml.ts'
import type { BasicParam } from './queries.ts'
import type { Signalling } from './signalling.ts'
import type { SnapshotOrder } from './snapshots.ts'

/** The parts of a device that controls act on. */
export type ControlledDevice = {
  readonly signalling: Signalling
  readonly state: (channelId: string) => ChannelState
  /** Ends all without a word, and registers anew. */
  readonly reboot: () => void
  readonly forceKeyframe: (channelId: string) => void
  readonly resetAlarms: (channelId: string) => void
  readonly configure: (change: Partial<BasicParam>) => void
  readonly takeSnapshots: (channelId: string, order: SnapshotOrder) => void
}

/** The result of a control: its event, and whether it is answered (GB/T 28181-2022 9.3.2 and A.2.6.1). */
type Outcome = { readonly what: string; readonly isAnswered: boolean; readonly isRefused?: boolean }

type Order = (device: ControlledDevice, channelId: string, content: XmlElement) => Outcome

/** Obeys a control, and returns its answer; undefined for one that has none. */
export function obeyControl(control: ReceivedBody, device: ControlledDevice): XmlElement | undefined {
  const { root, cmdType, deviceId } = control
  const orders = ORDERS[cmdType] ?? {}
  const content = root.children.find(({ name }) => Object.hasOwn(orders, name))
  const {
    what,
    isAnswered,
    isRefused = false,
  } = content === undefined
    ? { what: 'unknown', isAnswered: true, isRefused: true }
    : orders[content.name]!(device, deviceId, content)
  device.signalling.emit({ kind: 'control', cmdType, channelId: deviceId, what })
  return isAnswered ? bodyOf('Response', control, [element('Result', isRefused ? 'ERROR' : 'OK')]) : undefined
}

const quiet = (what: string): Outcome => ({ what, isAnswered: false })
const answered = (what: string): Outcome => ({ what, isAnswered: true })
const refused = (what: string): Outcome => ({ what, isAnswered: true, isRefused: true })

const keyframe: Order = (device, channelId, { name }) => {
  device.state(channelId).keyframeRequests += 1
  device.forceKeyframe(channelId)
  return quiet(name)
}

const dragZoom =
  (direction: 'in' | 'out'): Order =>
  (device, channelId, { name, children }) => {
    const fields = Object.fromEntries(children.map((child) => [child.name, child.text]))
    device.state(channelId).dragZoom = { direction, fields }
    return quiet(`${name} ${JSON.stringify(fields)}`)
  }

/** Controls by their element, below the type of command (A.2.3). */
const ORDERS: Readonly<Record<string, Readonly<Record<string, Order>>>> = {
  DeviceControl: {
    PTZCmd(device, channelId, { text }) {
      const problem = device.state(channelId).frontEnd.obey(text)
      return quiet(problem === undefined ? `PTZCmd ${text}` : `PTZCmd ${text}, which has a wrong ${problem}`)
    },
    TeleBoot(device) {
      device.reboot()
      return quiet('TeleBoot')
    },
    RecordCmd(device, channelId, { text }) {
      if (text !== 'Record' && text !== 'StopRecord') return refused(`RecordCmd ${text}`)
      device.state(channelId).isRecording = text === 'Record'
      return answered(`RecordCmd ${text}`)
    },
    GuardCmd(device, channelId, { text }) {
      if (text !== 'SetGuard' && text !== 'ResetGuard') return refused(`GuardCmd ${text}`)
      device.state(channelId).isGuarded = text === 'SetGuard'
      return answered(`GuardCmd ${text}`)
    },
    AlarmCmd(device, channelId, { text }) {
      if (text !== 'ResetAlarm') return refused(`AlarmCmd ${text}`)
      device.resetAlarms(channelId)
      return answered('AlarmCmd ResetAlarm')
    },
    IFrameCmd: keyframe,
    // The standard of 2016 spells it so.
    IFameCmd: keyframe,
    DragZoomIn: dragZoom('in'),
    DragZoomOut: dragZoom('out'),
    HomePosition(device, channelId, content) {
      const number = (name: string) => Number(textOf(content, name) ?? 0)
      const home = {
        isEnabled: number('Enabled') === 1,
        resetSeconds: number('ResetTime'),
        preset: number('PresetIndex'),
      }
      device.state(channelId).home = home
      return answered(`HomePosition ${home.isEnabled ? home.preset : 'off'}`)
    },
    PTZPreciseCtrl(device, channelId, content) {
      const { frontEnd } = device.state(channelId)
      const of = (name: string, now: number) => Number(textOf(content, name) ?? now)
      const { pan, tilt, zoom } = frontEnd.pose
      frontEnd.goTo({ pan: of('Pan', pan), tilt: of('Tilt', tilt), zoom: of('Zoom', zoom) })
      return answered('PTZPreciseCtrl')
    },
  },
  DeviceConfig: {
    BasicParam(device, _, content) {
      const numberOf = (name: string) => {
        const text = textOf(content, name)
        return text === undefined || !(Number(text) > 0) ? undefined : Number(text)
      }
      const [name, expiration] = [textOf(content, 'Name'), numberOf('Expiration')]
      const [heartBeatInterval, heartBeatCount] = [numberOf('HeartBeatInterval'), numberOf('HeartBeatCount')]
      device.configure({
        ...(name !== undefined && { name }),
        ...(expiration !== undefined && { expiration }),
        ...(heartBeatInterval !== undefined && { heartBeatInterval }),
        ...(heartBeatCount !== undefined && { heartBeatCount }),
      })
      return answered('BasicParam')
    },
    SnapShotConfig(device, channelId, content) {
      const uploadUrl = textOf(content, 'UploadURL')
      if (uploadUrl === undefined || !URL.canParse(uploadUrl)) return refused('SnapShotConfig without UploadURL')
      const number = (name: string) => Number(textOf(content, name) ?? 1)
      const order = { uploadUrl, sessionId: textOf(content, 'SessionID') ?? '', count: number('SnapNum') }
      device.takeSnapshots(channelId, { ...order, intervalMs: number('Interval') * 1000 })
      return answered(`SnapShotConfig ${order.count}`)
    },
    OSDConfig: () => answered('OSDConfig'),
    PictureMask: () => answered('PictureMask'),
    FrameMirror: () => answered('FrameMirror'),
    AlarmReport: () => answered('AlarmReport'),
    VideoParamAttribute: () => answered('VideoParamAttribute'),
    VideoRecordPlan: () => answered('VideoRecordPlan'),
    VideoAlarmRecord: () => answered('VideoAlarmRecord'),
  },
}
