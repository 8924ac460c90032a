import { streamsIn } from '../load/player.ts'
import { measureViewers } from './measure-viewers.ts'
import type { ServerScenario } from './scenario.ts'

/** Viewers of one stream: what they cost, and how late they get it. */
export const fanOut: ServerScenario = {
  name: 'fanout',
  title: 'Fan-out: viewers of one 2 Mbit/s stream',
  columns: [
    { key: 'cpuPercent', title: 'CPU %', digits: 1 },
    { key: 'cpuSecondsPerGbit', title: 'CPU s/Gbit', digits: 3 },
    { key: 'kbPerViewer', title: 'KB/s a viewer', digits: 1 },
    { key: 'deliveredPercent', title: 'delivered %', digits: 1 },
    { key: 'rssPerViewerKb', title: 'RSS KB/viewer', digits: 1 },
    { key: 'delayP50Ms', title: 'delay p50 ms', digits: 1 },
    { key: 'delayP99Ms', title: 'delay p99 ms', digits: 1 },
    { key: 'lostFrames', title: 'lost frames', digits: 0 },
    { key: 'lostPackets', title: 'lost packets', digits: 0 },
    { key: 'eventLoopUtilization', title: 'ELU', digits: 2 },
    { key: 'mergeWindowMs', title: 'window ms', digits: 0 },
    { key: 'loaderPercent', title: 'loader CPU %', digits: 0 },
  ],
  compared: ['cpuSecondsPerGbit', 'rssPerViewerKb'],
  cases: ({ formats, viewers }) => streamsIn(formats).flatMap((format) => viewers.map((count) => ({ format, count }))),
  measure: measureViewers,
}
