import { Unsupported } from 'sluice/sdk'
import type { Device } from '../registry/device.ts'
import { knowsGbFeature, type GbFeature } from '../version.ts'

/**
 * Devices are not sent what their version of the standard can't read (GB/T 28181-2022 annex I).
 * @throws {Unsupported}
 */
export function assertKnows({ id, version }: Pick<Device, 'id' | 'version'>, feature: GbFeature): void {
  if (knowsGbFeature(version || undefined, feature)) return
  throw new Unsupported(
    `device ${id} is of version ${version || '2.0'} of the standard, which does not have ${feature}`,
  )
}
