import { setTimeout as delay } from 'node:timers/promises'
import { isSrt, type Format } from '../load/player.ts'
import type { BenchServer } from '../servers/bench-server.ts'
import type { Measured, RunOptions } from './scenario.ts'
import { allJoined, onStage, settle, STREAM } from './stage.ts'

/** One viewer of so many reads the stream all along; the others only count its bytes. */
const READING_SHARE = 1 / 20
const MIN_READING = 2
/** By WebRTC, as handshakes cost the loader much: where they are late and are begun again, werift fails some. */
const WEBRTC_JOINS_PER_SECOND = 12

/** What a server uses for viewers of one stream, and what they get. */
export function measureViewers(
  server: BenchServer,
  format: Format,
  count: number,
  { sourceFile, seconds }: RunOptions,
): Promise<Measured> {
  return onStage(server, { format, viewers: count }, sourceFile, async (stage) => {
    const publisher = await stage.publish([STREAM])
    let before = { rssBytes: (await stage.usage()).rssBytes, viewers: 0 }
    const target = stage.server.target(format, STREAM)
    const readingCount = Math.min(count, Math.max(MIN_READING, Math.round(count * READING_SHARE)))
    const perSecond = format === 'webrtc' ? WEBRTC_JOINS_PER_SECOND : undefined
    const reading = stage.play(target, readingCount, true, perSecond)
    const isFirstDear = format === 'webrtc' || (isSrt(format) && target.isPortOfViewer !== true)
    if (isFirstDear && count > readingCount) {
      // Libraries are loaded for the first of them, and code is compiled: that is not what another one costs.
      await allJoined([reading])
      await settle()
      before = { rssBytes: (await stage.usage()).rssBytes, viewers: readingCount }
    }
    const counting = count > readingCount ? [stage.play(target, count - readingCount, false, perSecond)] : []
    await allJoined([reading, ...counting])
    await settle()

    const all = [publisher, reading, ...counting]
    await Promise.all(all.map((load) => load.begin()))
    const windowEnd = await stage.watch()
    await delay(seconds * 1000)
    const window = await windowEnd()
    const [published, read, ...counted] = await Promise.all([
      publisher.end(),
      reading.end(),
      ...counting.map((load) => load.end()),
    ])
    const watched = [read, ...counted]
    const bytesPerSecond = sum(watched.map((report) => report.receivedBytes / report.seconds))
    const expectedPerSecond = (published.mediaBytes / published.seconds) * count
    const loaderSeconds = sum([published, ...watched].map((report) => report.cpuSeconds))
    const cpuShare = window.cpuSeconds / window.seconds
    return {
      span: window.span,
      values: {
        cpuPercent: cpuShare * 100,
        cpuPercentPerViewer: (cpuShare * 100) / count,
        cpuSecondsPerGbit: cpuShare / ((bytesPerSecond * 8) / 1e9),
        kbPerViewer: bytesPerSecond / count / 1000,
        requestsPerSecond: sum(watched.map((report) => report.requests / report.seconds)),
        failedRequests: sum(watched.map((report) => report.failedRequests)),
        closed: sum(watched.map((report) => report.closed)),
        deliveredPercent: (bytesPerSecond / expectedPerSecond) * 100,
        rssPerViewerKb: (window.rssBytes - before.rssBytes) / 1024 / (count - before.viewers),
        delayP50Ms: read.delayMs.p50,
        delayP99Ms: read.delayMs.p99,
        lostFrames: read.lostFrames,
        lostPackets: sum(watched.map((report) => report.lostPackets)),
        loaderPercent: (loaderSeconds / window.seconds) * 100,
        ...(await stage.server.status?.()),
      },
    }
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
