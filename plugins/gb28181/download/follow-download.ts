import type { Publisher, UnitSink } from 'sluice/sdk'
import type { MediaSession } from '../media/media-session.ts'
import { ProgressSink } from '../media/progress-sink.ts'
import type { GbContext } from '../plugin-context.ts'
import { fail, type Download } from './downloads.ts'

const LOOK_MS = 500

/** A download that is being followed. */
export type FollowedDownload = {
  /** Takes the media on its way to the publisher. */
  readonly sink: UnitSink
  /** The device has sent all. */
  ended(): void
  /** Stops following: what has not come to its end by now has failed. */
  stop(): void
}

/** Notes how far a download is, by the time of its media; and by its bytes where the device has told how many there are. */
export function followDownload(
  ctx: Pick<GbContext, 'setInterval'>,
  session: MediaSession,
  publisher: Publisher,
  download: Download,
): FollowedDownload {
  const sink = new ProgressSink(publisher)
  download.totalBytes = session.answer.fileSizeBytes ?? 0
  const look = () => {
    download.downloadedBytes = publisher.writtenBytes
    const ofTime = sink.elapsedMs / (download.endMs - download.startMs)
    download.progress = Math.min(99, Math.max(download.progress, Math.floor(ofTime * 100)))
  }
  const stopLooking = ctx.setInterval(look, LOOK_MS)
  return {
    sink,
    ended() {
      look()
      download.sentMs = Date.now()
    },
    stop() {
      stopLooking()
      if (download.sentMs === 0) fail(download, 'it has ended before its time')
    },
  }
}
