import { bodyOf } from './manscdp/body.ts'
import { element, elementsOf } from './manscdp/xml.ts'
import type { Signalling } from './signalling.ts'
import type { Pauses } from './timers.ts'

/** An order to take pictures (GB/T 28181-2022 A.2.3.2.10). */
export type SnapshotOrder = {
  readonly uploadUrl: string
  readonly sessionId: string
  readonly count: number
  readonly intervalMs: number
}

const MAX_SNAPSHOTS = 100
const UPLOAD_TIMEOUT_MS = 10_000
/** The type of a file that is a picture, in its name. */
const PICTURE_TYPE = '02'

/** A grey JPEG of 8 x 8 dots. */
const SMALLEST_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAgAAAQABAAD/2wBDAAg+Pkk+SVVVVVVVVWRdZGhoaGRkZGRoaGhwcHCDg4NwcHBoaHBwfHyDg4+Tj4eHg4eTk5ubm7q6srLZ2eD//' +
    '///xABKAAEAAAAAAAAAAAAAAAAAAAAAAQEAAAAAAAAAAAAAAAAAAAAAEAEAAAAAAAAAAAAAAAAAAAAAEQEAAAAAAAAAAAAAAAAAAAAA/8AAEQgACAAIAwEi' +
    'AAIRAAMRAP/aAAwDAQACEQMRAD8AAA//2Q==',
  'base64',
)

/** Uploads pictures one after another by HTTP, and tells the platform of it when all are there (9.14). */
export async function uploadSnapshots(
  signalling: Signalling,
  pauses: Pauses,
  channelId: string,
  order: SnapshotOrder,
): Promise<void> {
  const { uploadUrl, sessionId, count, intervalMs } = order
  const files: string[] = []
  for (let index = 0; index < Math.min(count, MAX_SNAPSHOTS); index++) {
    if (index > 0 && !(await pauses.wait(intervalMs))) return
    const name = fileName(channelId, index)
    const status = await upload(uploadUrl, name, signalling.options.snapshot ?? SMALLEST_JPEG)
    signalling.emit({ kind: 'snapshot', url: uploadUrl, status })
    if (status !== undefined && status < 300) files.push(name)
  }
  const sn = signalling.nextSn()
  const list = element(
    'SnapShotList',
    files.map((file) => element('SnapShotFileID', file)),
    { Num: files.length },
  )
  const body = bodyOf('Notify', { cmdType: 'UploadSnapShotFinished', sn, deviceId: channelId }, [
    ...elementsOf({ SessionID: sessionId }),
    list,
  ])
  await signalling.message(body)
}

/** Returns the status of the server; undefined where it can't be reached. */
async function upload(url: string, name: string, picture: Buffer): Promise<number | undefined> {
  const headers = { 'content-type': 'image/jpeg', 'content-disposition': `attachment; filename="${name}.jpg"` }
  try {
    const signal = AbortSignal.timeout(UPLOAD_TIMEOUT_MS)
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(picture), signal })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}

/** The name of a picture: the channel, the type, the time and a number (annex P). */
function fileName(channelId: string, index: number): string {
  const digits = new Date().toISOString().replaceAll(/\D/gu, '').slice(0, 14)
  return `${channelId}${PICTURE_TYPE}${digits}${String(index + 1).padStart(5, '0')}`
}
