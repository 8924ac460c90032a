import { messageOf } from 'sluice/sdk'
import { parseDeviceInfo } from '../manscdp/device-info.ts'
import { deviceInfoQuery } from '../manscdp/queries.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { pullAll } from '../streams/sources.ts'
import type { Subscriptions } from '../subscription/subscriptions.ts'
import type { CatalogSync } from './catalog-sync.ts'
import type { Inquiries } from './inquiries.ts'

type ArrivalInit = {
  readonly ctx: GbContext
  readonly registry: Registry
  readonly inquiries: Inquiries
  readonly sync: CatalogSync
  readonly subscriptions: Subscriptions
}

/** Asks a device that has come what it is and has, and begins what its settings want. */
export async function welcome(
  { ctx, registry, inquiries, sync, subscriptions }: ArrivalInit,
  device: Device,
): Promise<void> {
  subscriptions.renew(device, true)
  try {
    const info = parseDeviceInfo(await inquiries.ask(device, deviceInfoQuery(device.id)))
    registry.changeDevice(device, {
      ownName: info.deviceName ?? device.ownName,
      manufacturer: info.manufacturer ?? device.manufacturer,
      model: info.model ?? device.model,
      firmware: info.firmware ?? device.firmware,
    })
  } catch (error) {
    ctx.log.debug({ device: device.id, fault: messageOf(error) }, 'a device does not say what it is')
  }
  await sync.run(device)
  pullAll(ctx, registry, device)
}
