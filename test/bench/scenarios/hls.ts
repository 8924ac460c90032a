import { isHls } from '../load/player.ts'
import { measureViewers } from './measure-viewers.ts'
import type { ServerScenario } from './scenario.ts'

/** Viewers of one stream by HLS: what they cost, and how late they get it. */
export const hls: ServerScenario = {
  name: 'hls',
  title: 'HLS: viewers of one 2 Mbit/s stream',
  columns: [
    { key: 'cpuPercent', title: 'CPU %', digits: 1 },
    { key: 'cpuPercentPerViewer', title: 'CPU %/viewer', digits: 4 },
    { key: 'cpuSecondsPerGbit', title: 'CPU s/Gbit', digits: 3 },
    { key: 'requestsPerSecond', title: 'requests/s', digits: 0 },
    { key: 'failedRequests', title: 'failed', digits: 0 },
    { key: 'closed', title: 'closed', digits: 0 },
    { key: 'deliveredPercent', title: 'delivered %', digits: 1 },
    { key: 'rssPerViewerKb', title: 'RSS KB/viewer', digits: 1 },
    { key: 'delayP50Ms', title: 'delay p50 ms', digits: 0 },
    { key: 'delayP99Ms', title: 'delay p99 ms', digits: 0 },
    { key: 'lostFrames', title: 'lost frames', digits: 0 },
    { key: 'eventLoopUtilization', title: 'ELU', digits: 2 },
    { key: 'loaderPercent', title: 'loader CPU %', digits: 0 },
  ],
  compared: ['cpuPercentPerViewer', 'cpuSecondsPerGbit', 'rssPerViewerKb'],
  cases: ({ formats, viewers }) =>
    formats.filter(isHls).flatMap((format) => viewers.map((count) => ({ format, count }))),
  measure: measureViewers,
}
