import { setTimeout as delay } from 'node:timers/promises'
import { allJoined, onStage, settle, STREAM } from './stage.ts'
import type { ServerScenario } from './scenario.ts'

/** One viewer of so many reads the stream all along; the others only count its bytes. */
const READING_SHARE = 1 / 20
const MIN_READING = 2

/** Viewers of one stream: what they cost, and how late they get it. */
export const fanOut: ServerScenario = {
  name: 'fanout',
  title: 'Fan-out: viewers of one 2 Mbit/s stream',
  columns: [
    { key: 'cpuPercent', title: 'CPU %', digits: 1 },
    { key: 'cpuSecondsPerGbit', title: 'CPU s/Gbit', digits: 3 },
    { key: 'deliveredPercent', title: 'delivered %', digits: 1 },
    { key: 'rssPerViewerKb', title: 'RSS KB/viewer', digits: 1 },
    { key: 'delayP50Ms', title: 'delay p50 ms', digits: 1 },
    { key: 'delayP99Ms', title: 'delay p99 ms', digits: 1 },
    { key: 'lostFrames', title: 'lost frames', digits: 0 },
    { key: 'eventLoopUtilization', title: 'ELU', digits: 2 },
    { key: 'mergeWindowMs', title: 'window ms', digits: 0 },
    { key: 'loaderPercent', title: 'loader CPU %', digits: 0 },
  ],
  compared: ['cpuSecondsPerGbit', 'rssPerViewerKb'],
  cases: ({ formats, viewers }) => formats.flatMap((format) => viewers.map((count) => ({ format, count }))),

  measure: (server, format, count, { sourceFile, seconds }) =>
    onStage(server, sourceFile, async (stage) => {
      const publisher = await stage.publish([STREAM])
      const rssBefore = (await stage.usage()).rssBytes
      const target = stage.server.target(format, STREAM)
      const readingCount = Math.min(count, Math.max(MIN_READING, Math.round(count * READING_SHARE)))
      const reading = stage.play(target, readingCount, true)
      const counting = count > readingCount ? [stage.play(target, count - readingCount, false)] : []
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
          cpuSecondsPerGbit: cpuShare / ((bytesPerSecond * 8) / 1e9),
          deliveredPercent: (bytesPerSecond / expectedPerSecond) * 100,
          rssPerViewerKb: (window.rssBytes - rssBefore) / 1024 / count,
          delayP50Ms: read.delayMs.p50,
          delayP99Ms: read.delayMs.p99,
          lostFrames: read.lostFrames,
          loaderPercent: (loaderSeconds / window.seconds) * 100,
          ...(await stage.server.status?.()),
        },
      }
    }),
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
