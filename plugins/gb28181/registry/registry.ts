import type { Channel } from './channel.ts'
import { newDevice, type Device } from './device.ts'

/** The most devices, and the most channels of one. */
export const MAX_DEVICES = 20_000
export const MAX_CHANNELS = 10_000

/** The devices and channels that all generations of the plugin share: plain data, and listeners of the generation that runs. */
export type KeptRegistry = {
  readonly devices: Map<string, Device>
  /** By device, then by channel. */
  readonly channels: Map<string, Map<string, Channel>>
  /** True once those of the database are among them. */
  isLoaded: boolean
}

/** Returns the state with which the first generation begins. */
export function newKeptRegistry(): KeptRegistry {
  return { devices: new Map(), channels: new Map(), isLoaded: false }
}

/** Is told of what changes, so that it is stored. */
export type RegistryStore = {
  device(device: Device): void
  removedDevice(id: string): void
  channel(channel: Channel): void
  removedChannel(channel: Channel): void
}

/** The devices that are known, and their channels. */
export class Registry {
  readonly #kept: KeptRegistry
  readonly #store: RegistryStore
  readonly #listeners = new Set<(device: Device) => void>()

  constructor(kept: KeptRegistry, store: RegistryStore) {
    this.#kept = kept
    this.#store = store
  }

  get devices(): Iterable<Device> {
    return this.#kept.devices.values()
  }

  get deviceCount(): number {
    return this.#kept.devices.size
  }

  device(id: string): Device | undefined {
    return this.#kept.devices.get(id)
  }

  /** Returns a device, which is new where it was not known; undefined when there are too many. */
  deviceOrNew(id: string): Device | undefined {
    const known = this.#kept.devices.get(id)
    if (known !== undefined) return known
    if (this.#kept.devices.size >= MAX_DEVICES) return undefined
    const device = newDevice(id, Date.now())
    this.#kept.devices.set(id, device)
    this.#store.device(device)
    return device
  }

  /** Changes a device, and stores it. */
  changeDevice(device: Device, changes: Partial<Device>): void {
    const wasOnline = device.isOnline
    Object.assign(device, changes, { updatedMs: Date.now() })
    this.#store.device(device)
    if (device.isOnline !== wasOnline) for (const listener of this.#listeners) listener(device)
  }

  /** Notes a sign of life, which is stored with the next change alone. */
  heard(device: Device, nowMs: number): void {
    device.keptAliveMs = nowMs
  }

  /** Removes a device with its channels; returns false when there is none. */
  removeDevice(id: string): boolean {
    const device = this.#kept.devices.get(id)
    if (device === undefined) return false
    for (const channel of this.channelsOf(id)) this.removeChannel(channel)
    this.#kept.channels.delete(id)
    this.#kept.devices.delete(id)
    this.#store.removedDevice(id)
    if (device.isOnline) {
      device.isOnline = false
      for (const listener of this.#listeners) listener(device)
    }
    return true
  }

  /** Calls the listener when a device has come online, or is offline. */
  onPresence(listener: (device: Device) => void): void {
    this.#listeners.add(listener)
  }

  /** Channels of a device; those that operators have added are of a device of the same id. */
  channelsOf(deviceId: string): Channel[] {
    return [...(this.#kept.channels.get(deviceId)?.values() ?? [])]
  }

  channelCount(deviceId: string): number {
    return this.#kept.channels.get(deviceId)?.size ?? 0
  }

  *allChannels(): Iterable<Channel> {
    for (const channels of this.#kept.channels.values()) yield* channels.values()
  }

  channel(deviceId: string, channelId: string): Channel | undefined {
    return this.#kept.channels.get(deviceId)?.get(channelId)
  }

  /** Adds a channel, or replaces the one that has its ids. Returns false when the device has too many. */
  setChannel(channel: Channel): boolean {
    const channels = this.#kept.channels.get(channel.deviceId) ?? new Map<string, Channel>()
    if (!channels.has(channel.channelId) && channels.size >= MAX_CHANNELS) return false
    this.#kept.channels.set(channel.deviceId, channels.set(channel.channelId, channel))
    this.#store.channel(channel)
    return true
  }

  /** Changes a channel, and stores it where that makes a difference. */
  changeChannel(channel: Channel, changes: Partial<Channel>): void {
    const isOther = Object.entries(changes).some(([field, value]) => channel[field as keyof Channel] !== value)
    if (!isOther) return
    Object.assign(channel, changes, { updatedMs: Date.now() })
    this.#store.channel(channel)
  }

  removeChannel(channel: Channel): void {
    const channels = this.#kept.channels.get(channel.deviceId)
    if (channels?.delete(channel.channelId) !== true) return
    if (channels.size === 0) this.#kept.channels.delete(channel.deviceId)
    this.#store.removedChannel(channel)
  }
}
