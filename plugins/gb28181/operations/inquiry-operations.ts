import { Type } from 'sluice/sdk'
import { parseDeviceInfo } from '../manscdp/device-info.ts'
import { parseDeviceStatus } from '../manscdp/device-status.ts'
import { alarmQuery, deviceInfoQuery, deviceStatusQuery, sdCardStatusQuery } from '../manscdp/queries.ts'
import { parseSdCards } from '../manscdp/sd-card.ts'
import type { Platform } from '../platform.ts'
import { assertKnows } from './known-feature.ts'
import { deviceOf, ONE_DEVICE, type AddOperation } from './requests.ts'

const SyncAnswer = Type.Object({
  total: Type.Integer({ description: 'Channels that the device has announced' }),
  current: Type.Integer({ description: 'Channels that have come' }),
  errorMsg: Type.String(),
  running: Type.Boolean({ description: 'It goes on' }),
})

/** `ON` or `OFF`; empty where a device does not say. */
const Said = (description: string) =>
  Type.String({ description: `${description}: ON or OFF; empty where it does not say` })

/** Adds the operations that ask devices what they are and have (api.md 7). */
export function addInquiryOperations(add: AddOperation, platform: Platform): void {
  const { inquiries, sync, subscriptions, clock } = platform

  add({
    method: 'GET',
    path: 'api/devices/{deviceId}/sync',
    summary: 'Manual sync of devices and channels; it goes on when this is answered',
    params: ONE_DEVICE,
    answer: SyncAnswer,
    wire: 'fields',
    access: 'admin',
    handle({ params: { deviceId } }) {
      sync.begin(deviceOf(platform, deviceId))
      return syncView(deviceId)
    },
  })

  add({
    method: 'GET',
    path: 'api/{deviceId}/sync_status',
    summary: 'How far a sync has come',
    params: ONE_DEVICE,
    answer: SyncAnswer,
    wire: 'fields',
    handle({ params: { deviceId } }) {
      return syncView(deviceOf(platform, deviceId).id)
    },
  })

  function syncView(deviceId: string) {
    const { total, current, fault, isRunning } = sync.state(deviceId)
    return { total, current, errorMsg: fault, running: isRunning }
  }

  add({
    method: 'GET',
    path: 'api/{deviceId}/subscribe_info',
    summary: 'What a device tells of by itself: 1 where a subscription holds',
    params: ONE_DEVICE,
    answer: Type.Object({ catalog: Type.Integer(), alarm: Type.Integer(), mobilePosition: Type.Integer() }),
    handle({ params: { deviceId } }) {
      const kinds = new Set(subscriptions.active(deviceOf(platform, deviceId).id))
      return {
        catalog: Number(kinds.has('Catalog')),
        alarm: Number(kinds.has('Alarm')),
        mobilePosition: Number(kinds.has('MobilePosition')),
      }
    },
  })

  add({
    method: 'GET',
    path: 'api/devices/{deviceId}/status',
    summary: 'Ask a device how it is',
    params: ONE_DEVICE,
    answer: Type.Object({
      deviceId: Type.String(),
      online: Said('Whether it is online'),
      status: Said('Whether it works'),
      reason: Type.String(),
      encode: Said('Whether it encodes'),
      record: Said('Whether it records'),
      deviceTime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      alarms: Type.Array(Type.Object({ deviceId: Type.String(), dutyStatus: Type.String() })),
    }),
    async handle({ params: { deviceId } }) {
      const device = deviceOf(platform, deviceId)
      const status = parseDeviceStatus(await inquiries.ask(device, deviceStatusQuery(deviceId)), clock)
      return {
        deviceId,
        online: said(status.isOnline),
        status: said(status.isWorking),
        reason: status.reason ?? '',
        encode: said(status.isEncoding),
        record: said(status.isRecording),
        deviceTime: status.deviceTimeMs === undefined ? null : new Date(status.deviceTimeMs).toISOString(),
        alarms: status.alarms.map(({ deviceId: id, duty = '' }) => ({ deviceId: id, dutyStatus: duty })),
      }
    },
  })

  add({
    method: 'GET',
    path: 'api/devices/{deviceId}/info',
    summary: 'Ask a device what it is',
    params: ONE_DEVICE,
    answer: Type.Object({
      deviceId: Type.String(),
      deviceName: Type.String(),
      manufacturer: Type.String(),
      model: Type.String(),
      firmware: Type.String(),
      channel: Type.Integer({ description: 'The number of its channels, as it tells it' }),
    }),
    async handle({ params: { deviceId } }) {
      const device = deviceOf(platform, deviceId)
      const info = parseDeviceInfo(await inquiries.ask(device, deviceInfoQuery(deviceId)))
      const { deviceName = '', manufacturer = '', model = '', firmware = '', channelCount = 0 } = info
      return { deviceId, deviceName, manufacturer, model, firmware, channel: channelCount }
    },
  })

  add({
    method: 'GET',
    path: 'api/sd_card/{deviceId}',
    summary: 'Ask a device of 2022 for its memory cards',
    params: ONE_DEVICE,
    answer: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        status: Type.String({ description: 'ok, formatting, unformatted, idle, error, or a word of its own' }),
        formatProgress: Type.Number({ description: 'Percent' }),
        capacity: Type.Number({ description: 'MB' }),
        freeSpace: Type.Number({ description: 'MB' }),
      }),
    ),
    async handle({ params: { deviceId } }) {
      const device = deviceOf(platform, deviceId)
      assertKnows(device, 'SDCardStatus')
      const cards = parseSdCards(await inquiries.ask(device, sdCardStatusQuery(deviceId)))
      return cards.map(({ formatProgress, capacityMegabytes, freeMegabytes, ...card }) => {
        return { ...card, formatProgress, capacity: capacityMegabytes, freeSpace: freeMegabytes }
      })
    },
  })

  add({
    method: 'GET',
    path: 'api/alarm/query/{deviceId}',
    summary: 'Ask a device to tell of its alarms again, which come as those that are new',
    params: ONE_DEVICE,
    access: 'admin',
    async handle({ params: { deviceId } }) {
      const device = deviceOf(platform, deviceId)
      await inquiries.command(device, alarmQuery(deviceId))
    },
  })
}

function said(isSo: boolean | undefined): string {
  if (isSo === undefined) return ''
  return isSo ? 'ON' : 'OFF'
}
