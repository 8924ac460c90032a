import type { Alarms } from '../alarm/alarms.ts'
import { putItem } from '../inquiry/catalog-sync.ts'
import { parseCatalog } from '../manscdp/catalog.ts'
import { parseMediaStatus } from '../manscdp/media-status.ts'
import type { ManscdpMessage } from '../manscdp/message.ts'
import { parseMobilePosition } from '../manscdp/position.ts'
import type { GbClock } from '../manscdp/times.ts'
import { livePath } from '../registry/channel.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import type { Switchboard } from '../transport/switchboard.ts'
import type { NoticeHandler } from './device-server.ts'

type NoticesInit = {
  readonly registry: Registry
  readonly board: Switchboard
  readonly alarms: Alarms
  readonly clock: GbClock
}

/** The handlers of notices of devices, by their commands. */
export function noticeHandlers({
  registry,
  board,
  alarms,
  clock,
}: NoticesInit): Readonly<Record<string, NoticeHandler>> {
  return {
    Keepalive: () => {},
    Alarm: (device, notice) => alarms.take(device, notice),
    MediaStatus: (device, notice) => endFile(device, notice, board),
    MobilePosition: (device, notice) => putPositions(device, notice, registry, clock),
    Catalog: (device, notice) => putCatalog(device, notice, registry),
    UploadSnapShotFinished: () => {},
  }
}

function endFile(device: Device, notice: ManscdpMessage, { fileEnds }: Switchboard): void {
  if (!parseMediaStatus(notice).isFileFinished) return
  // Some devices name themselves in place of the channel.
  const path = livePath({ deviceId: device.id, channelId: notice.deviceId })
  const isOfDevice = ([each]: readonly [string, unknown]) => each.startsWith(`${device.id}/`)
  const found = fileEnds.has(path)
    ? [...fileEnds.get(path)!]
    : [...fileEnds].filter(isOfDevice).flatMap(([, all]) => [...all])
  for (const listener of found) listener()
}

function putPositions(device: Device, notice: ManscdpMessage, registry: Registry, clock: GbClock): void {
  for (const position of parseMobilePosition(notice, clock)) {
    const changes = { longitude: String(position.longitude), latitude: String(position.latitude) }
    const channel = registry.channel(device.id, position.deviceId)
    if (channel !== undefined)
      registry.changeChannel(channel, { ...changes, positionMs: position.timeMs ?? Date.now() })
    else registry.changeDevice(device, changes)
  }
}

function putCatalog(device: Device, notice: ManscdpMessage, registry: Registry): void {
  for (const item of parseCatalog(notice).items) {
    const channel = registry.channel(device.id, item.deviceId)
    switch (item.event) {
      case 'DEL':
        if (channel !== undefined && !channel.isCustom) registry.removeChannel(channel)
        break
      case 'ON':
      case 'OFF':
      case 'VLOST':
      case 'DEFECT':
        if (channel !== undefined) registry.changeChannel(channel, { isOn: item.event === 'ON' })
        break
      default:
        putItem(registry, device.id, item)
    }
  }
}
