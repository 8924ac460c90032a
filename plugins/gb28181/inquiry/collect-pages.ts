import { DeviceSilent } from '../errors.ts'
import type { ManscdpBody, ManscdpMessage } from '../manscdp/message.ts'
import { PageCollector, type Page } from '../manscdp/page-collector.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { Inquiries } from './inquiries.ts'

/** The time between looks whether an answer is over. */
const LOOK_MS = 250

export type PagesInit<Item> = {
  readonly ctx: Pick<GbContext, 'setInterval'>
  readonly inquiries: Inquiries
  readonly device: Device
  readonly body: ManscdpBody
  readonly read: (answer: ManscdpMessage) => Page<Item>
  readonly keyOf: (item: Item) => string
  /** The longest wait for the first message. Default: that of catalogs. */
  readonly firstMs?: number
  /** Called after each message. */
  readonly onProgress?: (received: number, total: number) => void
  readonly signal?: AbortSignal | undefined
}

/** An answer of several messages: what came, and how much was announced. */
export type Pages<Item> = {
  /** The number of the query. */
  readonly sn: number
  readonly items: readonly Item[]
  readonly total: number
  readonly isComplete: boolean
}

/**
 * Asks a device for a list, which it answers in several messages.
 * @throws {DeviceSilent} when no message comes
 * @throws as {@link Inquiries.ask}, and the signal's reason
 */
export async function collectPages<Item>(init: PagesInit<Item>): Promise<Pages<Item>> {
  const { ctx, inquiries, device, body, read, keyOf, firstMs, onProgress, signal } = init
  signal?.throwIfAborted()
  const startMs = performance.now()
  const collector = new PageCollector<Item>({ keyOf, startMs })
  const over = Promise.withResolvers<void>()
  let messages = 0
  const look = () => {
    const nowMs = performance.now()
    const isLate = messages === 0 && firstMs !== undefined && nowMs - startMs > firstMs
    if (collector.isOver(nowMs) || isLate) over.resolve()
  }
  const inquiry = inquiries.open(device, body, (answer) => {
    messages += 1
    collector.push(read(answer), performance.now())
    onProgress?.(collector.received, collector.total ?? collector.received)
    look()
  })
  const abort = () => over.reject(signal?.reason as Error)
  signal?.addEventListener('abort', abort, { once: true })
  const stop = ctx.setInterval(look, LOOK_MS)
  try {
    await Promise.race([over.promise, inquiry.sent.then(() => over.promise)])
  } finally {
    stop()
    signal?.removeEventListener('abort', abort)
    inquiry.close()
  }
  if (messages === 0) throw new DeviceSilent(device.id, body.cmdType)
  const { items, isComplete, total = collector.received } = collector
  return { sn: inquiry.sn, items, total, isComplete }
}
