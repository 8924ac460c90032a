import { clipByFfmpeg, GbDevice, type Clip, type GbDeviceOptions } from '../../../plugins/gb28181/device/index.ts'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import type { RunningServer } from '../server.ts'

const PLATFORM_ID = '34020000002000000001'
const API = '/gb28181/api'
const HOUR_MS = 3_600_000

/** The ids of a channel. */
export type GbIds = { readonly deviceId: string; readonly channelId: string }

/** Devices of GB/T 28181 at a server, and what operators make for them. */
export class GbDevices {
  readonly #server: RunningServer
  readonly #clip: Clip
  #camera: GbIds | undefined
  #made = 0

  private constructor(server: RunningServer, clip: Clip) {
    this.#server = server
    this.#clip = clip
  }

  static async start(server: RunningServer): Promise<GbDevices> {
    const devices = new GbDevices(server, await clipByFfmpeg({ seconds: 2, size: '64x64' }))
    devices.#camera = (await devices.#register({})).ids
    return devices
  }

  /** A camera of 2022 with recordings, which is there all the time. */
  get camera(): GbIds {
    if (this.#camera === undefined) throw new Error('the camera has not come')
    return this.#camera
  }

  /** Resolves with the id of a device that operators have added, and that has not come. */
  async newKnown(): Promise<string> {
    const deviceId = this.newId('132')
    await this.#post('/device/add', { deviceId, name: 'known' })
    return deviceId
  }

  /** Resolves with the id of a channel of its own, whose pictures are another stream's. */
  async newProxied(): Promise<string> {
    const channelId = this.newId('131')
    await this.#post('/channel/add_with_proxy/live/walk', { channelId, name: 'proxied' })
    return channelId
  }

  /** Resolves with the id of a group below the root. */
  async newGroup(): Promise<number> {
    const name = this.newId('215')
    const { data } = await this.#post('/groups/add', { pid: 1, name })
    return (data as { readonly id: number }).id
  }

  /** Resolves with the camera, whose alarm is stored. */
  async withAlarm(): Promise<GbIds> {
    const { device, ids } = await this.#register({})
    await device.alarm({ channelId: ids.channelId, description: 'motion' })
    await waitFor(async () => ((await this.#get(`/alarms/${ids.deviceId}`))['total'] as number) > 0)
    return ids
  }

  /** Fetches the live stream of the camera. */
  async playing(): Promise<GbIds> {
    const ids = this.camera
    await this.#get(`/play/start/${ids.deviceId}/${ids.channelId}`)
    return ids
  }

  /** Has the camera play a recording; resolves with the path of its stream. */
  async newPlayback(): Promise<string> {
    const { deviceId, channelId } = this.camera
    const { data } = await this.#post(`/playback/start/${deviceId}/${channelId}`, this.anHour)
    return (data as { readonly streamPath: string }).streamPath
  }

  /** Begins to download a recording of the camera; resolves with its id. */
  async newDownload(): Promise<string> {
    const { deviceId, channelId } = this.camera
    const { start, end } = this.anHour
    const { data } = await this.#get(`/download/${deviceId}/${channelId}?start=${start}&end=${end}`)
    return (data as { readonly downloadId: string }).downloadId
  }

  /** The time of the camera's recording, in Unix seconds. */
  get anHour(): { readonly start: string; readonly end: string } {
    return { start: String(Math.floor(Date.now() / 1000) - 3600), end: String(Math.floor(Date.now() / 1000)) }
  }

  /** Asks a device for a picture; resolves with the token by which it can be uploaded. */
  async newUpload(): Promise<string> {
    // What it sends is refused, and so the picture is still waited for.
    const { device, ids } = await this.#register({ snapshot: Buffer.from('no picture') })
    void this.#get(`/snap/${ids.deviceId}/${ids.channelId}`)
    const order = await device.waitFor(({ cmdType }) => cmdType === 'DeviceConfig')
    return /upload\/([^<]+)</u.exec(order.message.body.toString())?.[1] ?? ''
  }

  /** An id of a type that no other device, channel or group has. */
  newId(type: string): string {
    return `3402000000${type}2${String(++this.#made).padStart(6, '0')}`
  }

  async #register(options: Partial<GbDeviceOptions>): Promise<{ readonly device: GbDevice; readonly ids: GbIds }> {
    const ids = { deviceId: this.newId('132'), channelId: this.newId('131') }
    const port = this.#server.server.host.list().find(({ name }) => name === 'gb28181')?.udpListeners[0]?.port ?? 0
    const device = new GbDevice({
      id: ids.deviceId,
      server: { host: '127.0.0.1', port, id: PLATFORM_ID },
      version: '3.0',
      channels: [{ id: ids.channelId, name: 'camera' }],
      recordings: [{ start: new Date(Date.now() - HOUR_MS), end: new Date() }],
      source: this.#clip,
      ...options,
    })
    keep({ close: () => device.kill() })
    await device.start()
    await waitFor(async () => (await this.#get(`/devices/${ids.deviceId}/channels`))['total'] === 1)
    return { device, ids }
  }

  async #get(path: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#server.api(`${API}${path}`)).body
  }

  async #post(path: string, sent: object): Promise<Readonly<Record<string, unknown>>> {
    const headers = { 'content-type': 'application/json' }
    const { body } = await this.#server.api(`${API}${path}`, { method: 'POST', headers, body: JSON.stringify(sent) })
    if (body.code !== 0) throw new Error(`POST ${path}: ${body.message}`)
    return body
  }
}
