import { setTimeout as delay } from 'node:timers/promises'
import type { ServerScenario } from './scenario.ts'
import { onStage } from './stage.ts'

/** How long the idle server is watched, for what it uses anyway. */
const IDLE_SECONDS = 3
/** How long the publishers are there before it counts: a server that is compiled while it runs is not yet itself. */
const WARM_UP_SECONDS = 8

/** Publishers of streams that nobody watches. */
export const publishers: ServerScenario = {
  name: 'publishers',
  title: 'Publishers: 2 Mbit/s by RTMP each, without viewers',
  columns: [
    { key: 'cpuPercent', title: 'CPU %', digits: 1 },
    { key: 'cpuPercentPerPublisher', title: 'CPU %/publisher', digits: 3 },
    { key: 'rssPerPublisherKb', title: 'RSS KB/publisher', digits: 0 },
    { key: 'mbitPerSecond', title: 'Mbit/s', digits: 1 },
    { key: 'maxQueuedKb', title: 'held back KB', digits: 0 },
    { key: 'eventLoopUtilization', title: 'ELU', digits: 2 },
    { key: 'loaderPercent', title: 'loader CPU %', digits: 0 },
  ],
  compared: ['cpuPercentPerPublisher', 'rssPerPublisherKb'],
  cases: (options) => options.publishers.map((count) => ({ format: 'rtmp', count })),

  measure: (server, _format, count, { sourceFile, seconds }) =>
    onStage(server, { format: 'rtmp', viewers: 0 }, sourceFile, async (stage) => {
      const idleEnd = await stage.watch()
      await delay(IDLE_SECONDS * 1000)
      const idle = await idleEnd()

      const load = await stage.publish(Array.from({ length: count }, (_, index) => `live/bench${index}`))
      await delay(WARM_UP_SECONDS * 1000)
      await load.begin()
      const windowEnd = await stage.watch()
      await delay(seconds * 1000)
      const window = await windowEnd()
      const report = await load.end()
      if (report.closed > 0) throw new Error(`${report.closed} publishers were closed`)
      const percent = (window.cpuSeconds / window.seconds) * 100
      const idlePercent = (idle.cpuSeconds / idle.seconds) * 100
      return {
        span: window.span,
        values: {
          cpuPercent: percent,
          cpuPercentPerPublisher: (percent - idlePercent) / count,
          rssPerPublisherKb: (window.rssBytes - idle.rssBytes) / 1024 / count,
          mbitPerSecond: (report.mediaBytes * 8) / 1e6 / report.seconds,
          maxQueuedKb: report.maxQueuedBytes / 1024,
          loaderPercent: (report.cpuSeconds / window.seconds) * 100,
          ...(await stage.server.status?.()),
        },
      }
    }),
}
