import { setTimeout as delay } from 'node:timers/promises'
import { streamsIn } from '../load/player.ts'
import { allJoined, onStage, settle, STREAM } from './stage.ts'
import type { ServerScenario } from './scenario.ts'

const WATCHING = 100
/** How long those already watching are observed after the last has joined. */
const AFTERWARDS_MS = 2000

/** Many viewers within one second, on a stream that others are watching. */
export const joins: ServerScenario = {
  name: 'joins',
  title: `Joins within one second, with ${WATCHING} watching`,
  columns: [
    { key: 'joined', title: 'joined', digits: 0 },
    { key: 'firstKeyframeP50Ms', title: 'keyframe p50 ms', digits: 0 },
    { key: 'firstKeyframeP99Ms', title: 'keyframe p99 ms', digits: 0 },
    { key: 'cpuPercent', title: 'CPU %', digits: 1 },
    { key: 'lostFrames', title: 'watching: lost frames', digits: 0 },
    { key: 'framesPercent', title: 'frames %', digits: 1 },
    { key: 'closed', title: 'closed', digits: 0 },
    { key: 'delayP50Ms', title: 'delay p50 ms', digits: 1 },
    { key: 'delayP99Ms', title: 'delay p99 ms', digits: 1 },
    { key: 'loaderPercent', title: 'loader CPU %', digits: 0 },
  ],
  compared: ['firstKeyframeP99Ms', 'delayP99Ms'],
  cases: ({ formats, joiners }) => streamsIn(formats).map((format) => ({ format, count: joiners })),

  measure: (server, format, count, { sourceFile }) =>
    onStage(server, { format, viewers: count }, sourceFile, async (stage) => {
      const publisher = await stage.publish([STREAM])
      const target = stage.server.target(format, STREAM)
      const watching = stage.play(target, WATCHING, true)
      await allJoined([watching])
      await settle()

      await Promise.all([publisher.begin(), watching.begin()])
      const windowEnd = await stage.watch()
      const joining = stage.play(target, count, false, count)
      const { joined, firstKeyframeMs } = await joining.ready
      await delay(AFTERWARDS_MS)
      const window = await windowEnd()
      const [published, watched, joinedReport] = await Promise.all([publisher.end(), watching.end(), joining.end()])
      const loaderSeconds = published.cpuSeconds + watched.cpuSeconds + joinedReport.cpuSeconds
      return {
        span: window.span,
        values: {
          joined,
          firstKeyframeP50Ms: firstKeyframeMs.p50,
          firstKeyframeP99Ms: firstKeyframeMs.p99,
          cpuPercent: (window.cpuSeconds / window.seconds) * 100,
          lostFrames: watched.lostFrames,
          framesPercent: (watched.frames / (published.frames * WATCHING)) * 100,
          closed: watched.closed,
          delayP50Ms: watched.delayMs.p50,
          delayP99Ms: watched.delayMs.p99,
          loaderPercent: (loaderSeconds / window.seconds) * 100,
        },
      }
    }),
}
