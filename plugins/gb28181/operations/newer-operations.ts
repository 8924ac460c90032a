import { randomBytes } from 'node:crypto'
import { InvalidRequest, Type } from 'sluice/sdk'
import {
  deviceUpgradeControl,
  formatSdCardControl,
  ptzPreciseControl,
  targetTrackControl,
} from '../manscdp/newer-controls.ts'
import type { Platform } from '../platform.ts'
import { AREA_QUERY, areaOf, isArea } from './area-query.ts'
import { assertKnows } from './known-feature.ts'
import { deviceOf, ONE_CHANNEL, ONE_DEVICE, targetOf, type AddOperation } from './requests.ts'

const SESSION_ID_BYTES = 16
const URL_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ftp:'])

/** Adds the operations of commands that came with GB/T 28181-2022. */
export function addNewerOperations(add: AddOperation, platform: Platform): void {
  const { inquiries } = platform

  add({
    method: 'GET',
    path: 'api/ptz/precise/{deviceId}/{channelId}',
    summary: 'Have a camera of 2022 look somewhere',
    params: ONE_CHANNEL,
    query: Type.Object({
      pan: Type.Optional(Type.Number({ minimum: 0, maximum: 360, description: 'Degrees' })),
      tilt: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'Degrees' })),
      zoom: Type.Optional(Type.Number({ minimum: 0, maximum: 1000, description: 'So many times as large' })),
    }),
    access: 'admin',
    async handle({ params, query }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'PTZPreciseCtrl')
      await inquiries.tell(device, ptzPreciseControl(params.channelId, query))
    },
  })

  add({
    method: 'GET',
    path: 'api/target_track/{cmdType}/{deviceId}/{channelId}',
    summary: 'Have a camera of 2022 follow something by itself, or what is in an area, or no longer',
    params: Type.Object({
      cmdType: Type.Union([Type.Literal('Auto'), Type.Literal('Manual'), Type.Literal('Stop')]),
      ...ONE_CHANNEL.properties,
    }),
    query: Type.Partial(AREA_QUERY),
    access: 'admin',
    async handle({ params: { cmdType, ...ids }, query }) {
      const device = targetOf(platform, ids)
      if (cmdType === 'Manual' && !isArea(query)) throw new InvalidRequest('the area is missing')
      assertKnows(device, 'TargetTrack')
      await inquiries.tell(
        device,
        targetTrackControl(ids.channelId, cmdType, isArea(query) ? areaOf(query) : undefined),
      )
    },
  })

  add({
    method: 'POST',
    path: 'api/sd_card/format/{deviceId}',
    summary: 'Format a memory card of a device of 2022',
    params: ONE_DEVICE,
    body: Type.Object({ id: Type.Integer({ minimum: 0, maximum: 255, description: 'From 1; 0 is all' }) }),
    async handle({ params: { deviceId }, body: { id } }) {
      const device = deviceOf(platform, deviceId)
      assertKnows(device, 'FormatSDCard')
      await inquiries.tell(device, formatSdCardControl(deviceId, id))
    },
  })

  add({
    method: 'POST',
    path: 'api/device/upgrade/{deviceId}',
    summary: 'Have a device of 2022 fetch new software',
    params: ONE_DEVICE,
    body: Type.Object({
      firmware: Type.String({ minLength: 1, maxLength: 255, description: 'The version of the software' }),
      fileUrl: Type.String({ maxLength: 2048, description: 'By http, https or ftp' }),
      manufacturer: Type.String({ minLength: 1, maxLength: 255 }),
    }),
    async handle({ params: { deviceId }, body }) {
      const device = deviceOf(platform, deviceId)
      if (!URL_SCHEMES.has(URL.parse(body.fileUrl)?.protocol ?? '')) throw new InvalidRequest('fileUrl is no address')
      assertKnows(device, 'DeviceUpgrade')
      const sessionId = randomBytes(SESSION_ID_BYTES).toString('hex')
      await inquiries.command(device, deviceUpgradeControl(deviceId, { ...body, sessionId }))
    },
  })
}
