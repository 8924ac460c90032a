import type { Kysely } from 'kysely'
import { WriteBehind } from 'sluice/sdk'
import type { GbContext } from '../plugin-context.ts'
import { channelKey, newChannel, type Channel } from './channel.ts'
import { newDevice, type Device } from './device.ts'
import type { KeptRegistry, RegistryStore } from './registry.ts'
import type { GbTables } from './tables.ts'

/** Rows that wait for the database at the most: a catalog has up to 10,000. */
const MAX_WAITING = 50_000
/** Changes of a row within this time are written at once. */
const GATHER_MS = 500
const CLOSE_MS = 2500

/** Reads and writes the rows of devices and channels. They are written behind what happens, each as it is when its turn comes. */
export class RegistryRows implements RegistryStore {
  readonly #db: Kysely<GbTables>
  readonly #kept: KeptRegistry
  readonly #devices: WriteBehind<string>
  readonly #channels: WriteBehind<string>
  readonly #log: GbContext['log']

  constructor(ctx: GbContext, kept: KeptRegistry) {
    this.#db = ctx.store<GbTables>()
    this.#kept = kept
    this.#log = ctx.log
    const options = { log: ctx.log, database: ctx.database, maxWaiting: MAX_WAITING, gatherMs: GATHER_MS }
    this.#devices = new WriteBehind({
      ...options,
      loss: 'devices were not stored',
      write: (ids) => this.#writeDevices(ids),
    })
    this.#channels = new WriteBehind({
      ...options,
      loss: 'channels were not stored',
      write: (ids) => this.#writeChannels(ids),
    })
  }

  device(device: Device): void {
    this.#devices.add(device.id)
  }

  removedDevice(id: string): void {
    this.#devices.add(id)
  }

  channel({ deviceId, channelId }: Channel): void {
    this.#channels.add(channelKey(deviceId, channelId))
  }

  removedChannel({ deviceId, channelId }: Channel): void {
    this.#channels.add(channelKey(deviceId, channelId))
  }

  /** Reads the rows, once for all generations. Those that have come meanwhile stay as they are. @throws {StoreUnavailable} */
  async load(): Promise<void> {
    if (this.#kept.isLoaded) return
    const nowMs = Date.now()
    for (const { id, data } of await this.#db.selectFrom('gb28181_device').selectAll().execute()) {
      const fields = this.#parse<Device>(data)
      if (!this.#kept.devices.has(id))
        this.#kept.devices.set(id, afterRestart({ ...newDevice(id, nowMs), ...fields, id }, nowMs))
    }
    for (let after = ''; ;) {
      const rows = await this.#db
        .selectFrom('gb28181_channel')
        .selectAll()
        .where('id', '>', after)
        .orderBy('id')
        .limit(10_000)
        .execute()
      const last = rows.at(-1)
      if (last === undefined) break
      after = last.id
      for (const { device_id: deviceId, channel_id: channelId, data } of rows) {
        const channels = this.#kept.channels.get(deviceId) ?? new Map<string, Channel>()
        this.#kept.channels.set(deviceId, channels)
        if (!channels.has(channelId)) channels.set(channelId, newChannel(deviceId, channelId, this.#parse(data)))
      }
    }
    this.#kept.isLoaded = true
  }

  async close(): Promise<void> {
    await Promise.all([this.#devices.close(CLOSE_MS), this.#channels.close(CLOSE_MS)])
  }

  #parse<Fields>(data: string): Partial<Fields> {
    try {
      return JSON.parse(data) as Partial<Fields>
    } catch (err) {
      this.#log.error({ err }, 'a row of the database is broken')
      return {}
    }
  }

  async #writeDevices(ids: readonly string[]): Promise<void> {
    const present = ids.flatMap((id) => this.#kept.devices.get(id) ?? [])
    const gone = ids.filter((id) => !this.#kept.devices.has(id))
    if (gone.length > 0) await this.#db.deleteFrom('gb28181_device').where('id', 'in', gone).execute()
    if (present.length === 0) return
    await this.#db
      .insertInto('gb28181_device')
      .values(present.map((device) => ({ id: device.id, data: JSON.stringify(device) })))
      .onConflict((conflict) => conflict.column('id').doUpdateSet((row) => ({ data: row.ref('excluded.data') })))
      .execute()
  }

  async #writeChannels(keys: readonly string[]): Promise<void> {
    const find = (key: string) => {
      const [deviceId = '', ...rest] = key.split('_')
      return this.#kept.channels.get(deviceId)?.get(rest.join('_'))
    }
    const gone = keys.filter((key) => find(key) === undefined)
    const present = keys.flatMap((key) => find(key) ?? [])
    if (gone.length > 0) await this.#db.deleteFrom('gb28181_channel').where('id', 'in', gone).execute()
    if (present.length === 0) return
    const rows = present.map((channel) => ({
      id: channelKey(channel.deviceId, channel.channelId),
      device_id: channel.deviceId,
      channel_id: channel.channelId,
      data: JSON.stringify(channel),
    }))
    await this.#db
      .insertInto('gb28181_channel')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doUpdateSet((row) => ({ data: row.ref('excluded.data') })))
      .execute()
  }
}

/**
 * A device as it is once the server is back: one by a connection has lost that, and the signs of life of others have not been
 * stored, so their time begins anew.
 */
function afterRestart(device: Device, nowMs: number): Device {
  if (!device.isOnline) return device
  return device.ends?.transport === 'UDP' ? { ...device, keptAliveMs: nowMs } : { ...device, isOnline: false }
}
