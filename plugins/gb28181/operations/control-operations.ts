import { Type } from 'sluice/sdk'
import {
  alarmResetControl,
  dragZoomControl,
  guardControl,
  homePositionControl,
  keyframeControl,
  recordControl,
  teleBootControl,
} from '../manscdp/controls.ts'
import { parseHomePosition } from '../manscdp/home-position.ts'
import { homePositionQuery } from '../manscdp/queries.ts'
import type { Platform } from '../platform.ts'
import { knowsGbFeature } from '../version.ts'
import { AREA_QUERY, areaOf } from './area-query.ts'
import { assertKnows } from './known-feature.ts'
import { deviceOf, ONE_CHANNEL, ONE_DEVICE, targetOf, type AddOperation } from './requests.ts'

const MAX_RESET_SECONDS = 86_400

/** Adds the operations by which devices and channels are told what to do, but for the front end of cameras (api.md 7). */
export function addControlOperations(add: AddOperation, platform: Platform): void {
  const { inquiries } = platform

  add({
    method: 'GET',
    path: 'api/recording/{cmdType}/{deviceId}/{channelId}',
    summary: 'Start or stop recording on the device',
    params: Type.Object({
      cmdType: Type.Union([Type.Literal('Record'), Type.Literal('RecordStop')]),
      ...ONE_CHANNEL.properties,
    }),
    access: 'admin',
    async handle({ params: { cmdType, ...ids } }) {
      const device = targetOf(platform, ids)
      const knowsStreams = knowsGbFeature(device.version || undefined, 'StreamNumber')
      const streamNumber = knowsStreams
        ? platform.registry.channel(ids.deviceId, ids.channelId)?.streamNumber
        : undefined
      const command = cmdType === 'Record' ? 'Record' : 'StopRecord'
      await inquiries.command(device, recordControl(ids.channelId, command, streamNumber))
    },
  })

  add({
    method: 'GET',
    path: 'api/guard/{cmdType}/{deviceId}/{channelId}',
    summary: 'Have a device raise alarms, or no longer',
    params: Type.Object({
      cmdType: Type.Union([Type.Literal('SetGuard'), Type.Literal('ResetGuard')]),
      ...ONE_CHANNEL.properties,
    }),
    access: 'admin',
    async handle({ params: { cmdType, ...ids } }) {
      await inquiries.command(targetOf(platform, ids), guardControl(ids.channelId, cmdType))
    },
  })

  add({
    method: 'GET',
    path: 'api/alarm/reset/{deviceId}/{channelId}',
    summary: 'Reset alarms of a device',
    params: ONE_CHANNEL,
    query: Type.Object({
      alarmMethod: Type.Optional(
        Type.String({ pattern: String.raw`^(\d(/\d){0,7})?$`, description: 'A digit, or several with / between' }),
      ),
      alarmType: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    }),
    access: 'admin',
    async handle({ params, query: { alarmMethod: method, alarmType: type } }) {
      await inquiries.command(targetOf(platform, params), alarmResetControl(params.channelId, { method, type }))
    },
  })

  add({
    method: 'GET',
    path: 'api/teleboot/{deviceId}',
    summary: 'Start a device anew',
    params: ONE_DEVICE,
    access: 'admin',
    async handle({ params: { deviceId } }) {
      await inquiries.tell(deviceOf(platform, deviceId), teleBootControl(deviceId))
    },
  })

  add({
    method: 'GET',
    path: 'api/i_frame/{deviceId}/{channelId}',
    summary: 'Ask a camera for a keyframe',
    params: ONE_CHANNEL,
    access: 'admin',
    async handle({ params }) {
      const device = targetOf(platform, params)
      await inquiries.tell(device, keyframeControl(params.channelId, device.version || undefined))
    },
  })

  add({
    method: 'GET',
    path: 'api/drag_zoom/{direction}/{deviceId}/{channelId}',
    summary: 'Zoom so that an area fills the window, or the window the area',
    params: Type.Object({
      direction: Type.Union([Type.Literal('in'), Type.Literal('out')]),
      ...ONE_CHANNEL.properties,
    }),
    query: AREA_QUERY,
    access: 'admin',
    async handle({ params: { direction, ...ids }, query }) {
      await inquiries.tell(targetOf(platform, ids), dragZoomControl(ids.channelId, direction, areaOf(query)))
    },
  })

  add({
    method: 'GET',
    path: 'api/home_position/{deviceId}/{channelId}',
    summary: 'Ask a camera of 2022 to which preset it goes back by itself',
    params: ONE_CHANNEL,
    answer: Type.Object({
      enabled: Type.Boolean(),
      resetTime: Type.Integer({ description: 'Seconds without a command' }),
      presetIndex: Type.Integer(),
    }),
    async handle({ params }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'HomePositionQuery')
      const position = parseHomePosition(await inquiries.ask(device, homePositionQuery(params.channelId)))
      return { enabled: position?.isEnabled, resetTime: position?.resetSeconds, presetIndex: position?.presetIndex }
    },
  })

  add({
    method: 'POST',
    path: 'api/home_position/{deviceId}/{channelId}',
    summary: 'Have a camera go back to a preset when nobody moves it, or no longer',
    params: ONE_CHANNEL,
    body: Type.Object({
      enabled: Type.Boolean(),
      resetTime: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_RESET_SECONDS, description: 'Seconds' })),
      presetIndex: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    }),
    async handle({ params, body: { enabled: isEnabled, resetTime: resetSeconds, presetIndex } }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'HomePosition')
      await inquiries.command(device, homePositionControl(params.channelId, { isEnabled, resetSeconds, presetIndex }))
    },
  })
}
