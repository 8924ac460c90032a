import { messageOf, WorkQueue } from 'sluice/sdk'
import { DeviceOffline } from '../errors.ts'
import { parseCatalog, type CatalogItem } from '../manscdp/catalog.ts'
import { catalogQuery } from '../manscdp/queries.ts'
import type { GbContext } from '../plugin-context.ts'
import { newChannel, type CatalogFields } from '../registry/channel.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { collectPages } from './collect-pages.ts'
import type { Inquiries } from './inquiries.ts'

/** Devices that are asked at a time, as all come at once after a power cut. */
const CONCURRENT_SYNCS = 50

/** The progress of a catalog. */
export type SyncState = {
  readonly isRunning: boolean
  readonly total: number
  readonly current: number
  /** The reason why the latest one has failed; empty where it has not. */
  readonly fault: string
}

const NEVER: SyncState = { isRunning: false, total: 0, current: 0, fault: '' }

type CatalogSyncInit = {
  readonly ctx: GbContext
  readonly inquiries: Inquiries
  readonly registry: Registry
}

/** Fetches the catalogs of devices, one at a time of each, and keeps their channels. */
export class CatalogSync {
  readonly #init: CatalogSyncInit
  readonly #states = new Map<string, SyncState>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #queue = new WorkQueue({ working: CONCURRENT_SYNCS })

  constructor(init: CatalogSyncInit) {
    this.#init = init
  }

  state(deviceId: string): SyncState {
    return this.#states.get(deviceId) ?? NEVER
  }

  /** Forgets a device that was removed. */
  forget(deviceId: string): void {
    this.#states.delete(deviceId)
  }

  /** Begins to fetch a catalog, unless that goes on already. @throws {DeviceOffline} */
  begin(device: Device): void {
    if (!device.isOnline) throw new DeviceOffline(device.id)
    void this.run(device)
  }

  /** Fetches a catalog, or waits for the one that is being fetched. Never rejects: the state says what was wrong. */
  run(device: Device): Promise<void> {
    const running = this.#running.get(device.id) ?? this.#start(device)
    this.#running.set(device.id, running)
    return running
  }

  async #start(device: Device): Promise<void> {
    const { ctx } = this.#init
    const state = (changes: Partial<SyncState>) => {
      this.#states.set(device.id, { ...this.state(device.id), ...changes })
    }
    state({ isRunning: true, total: 0, current: 0, fault: '' })
    try {
      await this.#queue.run(() => this.#fetch(device, (current, total) => state({ current, total })))
      state({ isRunning: false })
    } catch (error) {
      state({ isRunning: false, fault: messageOf(error) })
      ctx.log.warn({ device: device.id, fault: messageOf(error) }, 'the catalog of a device could not be fetched')
    } finally {
      this.#running.delete(device.id)
    }
  }

  async #fetch(device: Device, onProgress: (received: number, total: number) => void): Promise<void> {
    const { ctx, inquiries, registry } = this.#init
    const { items, isComplete } = await collectPages({
      ctx,
      inquiries,
      device,
      body: catalogQuery(device.id),
      read: parseCatalog,
      keyOf: ({ deviceId }: CatalogItem) => deviceId,
      onProgress,
      signal: ctx.signal,
    })
    for (const item of items) putItem(registry, device.id, item)
    // What a catalog that came whole does not have any more is gone.
    const present = new Set(items.map(({ deviceId }) => deviceId))
    for (const channel of isComplete ? registry.channelsOf(device.id) : []) {
      if (!channel.isCustom && !present.has(channel.channelId)) registry.removeChannel(channel)
    }
    ctx.log.info({ device: device.id, channels: items.length, isComplete }, 'the catalog of a device was fetched')
  }
}

/** Takes over what a device says of a channel; what it does not say stays as it was. */
export function putItem(registry: Registry, deviceId: string, item: CatalogItem): void {
  const channelId = item.deviceId
  const fields = fieldsOf(item)
  const known = registry.channel(deviceId, channelId)
  if (known === undefined) registry.setChannel(newChannel(deviceId, channelId, { ...fields, updatedMs: Date.now() }))
  else registry.changeChannel(known, fields)
}

/** The fields that a catalog states, by the names that channels have for them. */
function fieldsOf(item: CatalogItem): CatalogFields {
  const { deviceId: _, event: __, securityLevelCode: ___, status, longitude, latitude, info, ...plain } = item
  const { svcSpaceSupportMode, streamNumberList: ____, ...camera } = info
  const stated = {
    ...plain,
    ...camera,
    svcSpaceSupportMod: svcSpaceSupportMode,
    isOn: status === undefined ? undefined : status === 'ON',
    longitude: longitude === undefined ? undefined : String(longitude),
    latitude: latitude === undefined ? undefined : String(latitude),
  }
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined))
}
