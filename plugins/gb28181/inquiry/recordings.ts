import { recordInfoQuery, type RecordInfoQuery } from '../manscdp/queries.ts'
import { newestFirst, parseRecordInfo, recordKey, type RecordItem } from '../manscdp/record-info.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import { collectPages, type Pages } from './collect-pages.ts'
import type { Inquiries } from './inquiries.ts'

/** The longest wait for the first message: a client of the API waits for it. */
const FIRST_MS = 15_000

/**
 * Asks a device for the recordings of a channel, the newest first.
 * @throws as {@link collectPages}
 */
export async function queryRecordings(
  { ctx, inquiries }: { readonly ctx: Pick<GbContext, 'setInterval'>; readonly inquiries: Inquiries },
  device: Device,
  channelId: string,
  query: RecordInfoQuery,
  signal?: AbortSignal,
): Promise<Pages<RecordItem>> {
  const pages = await collectPages({
    ctx,
    inquiries,
    device,
    body: recordInfoQuery(channelId, query),
    read: (answer) => parseRecordInfo(answer, query.zone),
    keyOf: recordKey,
    firstMs: FIRST_MS,
    signal,
  })
  return { ...pages, items: newestFirst(pages.items) }
}
