import { randomBytes } from 'node:crypto'
import { messageOf, StreamUnavailable } from 'sluice/sdk'
import { DeviceSilent } from '../errors.ts'
import { snapshotControl } from '../manscdp/configs.ts'
import type { Platform } from '../platform.ts'
import type { Device } from '../registry/device.ts'

/** The time in which a device may upload a picture. */
const LIFETIME_MS = 3 * 60_000
/** The longest wait of a client of the API for the picture. */
const WAIT_MS = 10_000
/** The most pictures that are expected at a time. */
const MAX_ORDERS = 1000
const SESSION_ID_BYTES = 16

/** A picture that a device was asked for. */
type Order = { readonly deviceId: string; readonly channelId: string; readonly arrive: (jpeg: Buffer) => void }

/** The picture that a device is asked for. */
export type SnapshotWish = {
  readonly device: Device
  readonly channelId: string
  /** The port of HTTP of this server. */
  readonly httpPort: number
  readonly isTls: boolean
  readonly signal: AbortSignal
}

/**
 * Pictures that devices of 2022 take and upload (GB/T 28181-2022 9.14): each to an address of its own, which can't be guessed, and takes
 * one picture.
 */
export class Snapshots {
  readonly #platform: Pick<Platform, 'ctx' | 'inquiries' | 'media'>
  readonly #orders = new Map<string, Order>()

  constructor(platform: Pick<Platform, 'ctx' | 'inquiries' | 'media'>) {
    this.#platform = platform
  }

  /**
   * Has a device take a picture.
   * @returns the picture; undefined when it has not come in time
   * @throws {DeviceOffline} {DeviceRefused}
   * @throws {StreamUnavailable} when too many pictures are expected
   * @throws the signal's reason
   */
  async take({ device, channelId, httpPort, isTls, signal }: SnapshotWish): Promise<Buffer | undefined> {
    const { ctx, inquiries, media } = this.#platform
    const { host } = media.requests.flowTo(device).local
    const arrived = Promise.withResolvers<Buffer | undefined>()
    const token = this.#order({ deviceId: device.id, channelId, arrive: arrived.resolve })
    const scheme = isTls ? 'https' : 'http'
    const uploadUrl = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${httpPort}/gb28181/api/snap/upload/${token}`
    const sessionId = randomBytes(SESSION_ID_BYTES).toString('hex')
    const order = { count: 1, intervalSeconds: 1, uploadUrl, sessionId }
    const cancel = ctx.setTimeout(() => arrived.resolve(undefined), WAIT_MS)
    const abort = () => arrived.reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    inquiries.command(device, snapshotControl(channelId, order)).catch((error: unknown) => {
      // Some send the picture, and no answer.
      if (error instanceof DeviceSilent) return
      this.#orders.delete(token)
      arrived.reject(error)
    })
    try {
      return await arrived.promise
    } finally {
      cancel()
      signal.removeEventListener('abort', abort)
    }
  }

  /** True for a token that is waiting for its picture. */
  expects(token: string): boolean {
    return this.#orders.has(token)
  }

  /** Takes a picture that was uploaded. Returns false when nobody waits for it. */
  async arrived(token: string, jpeg: Buffer): Promise<boolean> {
    const order = this.#orders.get(token)
    if (order === undefined) return false
    this.#orders.delete(token)
    order.arrive(jpeg)
    await this.#store(order, jpeg)
    return true
  }

  #order(order: Order): string {
    if (this.#orders.size >= MAX_ORDERS) throw new StreamUnavailable('too many pictures are expected')
    const { ctx } = this.#platform
    const token = ctx.sessionToken()
    this.#orders.set(token, order)
    ctx.setTimeout(() => void this.#orders.delete(token), LIFETIME_MS)
    return token
  }

  async #store({ deviceId, channelId }: Order, jpeg: Buffer): Promise<void> {
    const { ctx } = this.#platform
    const stamp = new Date().toISOString().replaceAll(/[-:T]/gu, '').replace('Z', '')
    const path = `gb28181/${deviceId}_${channelId}_${stamp}.jpg`
    try {
      await ctx.files.write(path, jpeg)
    } catch (error) {
      ctx.log.warn({ device: deviceId, channel: channelId, fault: messageOf(error) }, 'a picture was not stored')
    }
  }
}
