import { setTimeout as delay } from 'node:timers/promises'
import type { SubscriberCounts } from '../servers/bench-server.ts'
import { streamsIn } from '../load/player.ts'
import { allJoined, onStage, settle, STREAM, type Stage } from './stage.ts'
import type { ServerScenario } from './scenario.ts'

const VIEWERS = 500
const STALLED = 100
const SAMPLE_MS = 1000
/** How long the stalled may take to find out that they were closed. */
const RESUME_MS = 3000

/** Some viewers stop reading: what that costs the server, and the others. */
export const stalled: ServerScenario = {
  name: 'stalled',
  title: `Stalled: ${STALLED} of ${VIEWERS} viewers stop reading`,
  columns: [
    { key: 'rssGrowthMb', title: 'RSS growth MB', digits: 1 },
    { key: 'rssAtEndMb', title: 'at the end', digits: 1 },
    { key: 'boundMb', title: 'bound', digits: 0 },
    { key: 'closedStalled', title: 'stalled closed', digits: 0 },
    { key: 'skips', title: 'skips counted', digits: 0 },
    { key: 'droppedUnits', title: 'units dropped', digits: 0 },
    { key: 'lostFrames', title: 'others: lost frames', digits: 0 },
    { key: 'framesPercent', title: 'frames %', digits: 1 },
    { key: 'closedOthers', title: 'closed', digits: 0 },
    { key: 'delayP50Ms', title: 'delay p50 ms', digits: 1 },
    { key: 'delayP99Ms', title: 'delay p99 ms', digits: 1 },
    { key: 'loaderPercent', title: 'loader CPU %', digits: 0 },
  ],
  compared: ['rssGrowthMb', 'delayP99Ms'],
  maxRounds: 1,
  // What comes in datagrams, nobody can leave unread on the way.
  cases: ({ formats }) =>
    streamsIn(formats)
      .filter((format) => format !== 'rtsp-udp')
      .map((format) => ({ format, count: VIEWERS })),

  measure: (server, format, count, { sourceFile, stalledSeconds }) =>
    onStage(server, { format, viewers: count }, sourceFile, async (stage) => {
      const publisher = await stage.publish([STREAM])
      const target = stage.server.target(format, STREAM)
      const others = stage.play(target, count - STALLED, true)
      const stalling = stage.play(target, STALLED, false)
      await allJoined([others, stalling])
      await settle()

      await Promise.all([publisher.begin(), others.begin(), stalling.begin()])
      await stalling.stall()
      const observed = await observe(stage, stalledSeconds)
      const [published, watched] = await Promise.all([publisher.end(), others.end()])
      await stalling.resume()
      await delay(RESUME_MS)
      const resumed = await stalling.end()
      return {
        values: {
          rssGrowthMb: toMb(observed.maxRssGrowthBytes),
          rssAtEndMb: toMb(observed.rssGrowthBytes),
          boundMb: server.queueBytes === undefined ? undefined : toMb(server.queueBytes * STALLED),
          closedStalled: resumed.closed,
          skips: observed.counts?.skips,
          droppedUnits: observed.counts?.dropped,
          lostFrames: watched.lostFrames,
          framesPercent: (watched.frames / (published.frames * (count - STALLED))) * 100,
          closedOthers: watched.closed,
          delayP50Ms: watched.delayMs.p50,
          delayP99Ms: watched.delayMs.p99,
          loaderPercent: (watched.cpuSeconds / watched.seconds) * 100,
        },
      }
    }),
}

type Observed = {
  readonly rssGrowthBytes: number
  readonly maxRssGrowthBytes: number
  /** The largest that the server told: those it has closed are no longer among them. */
  readonly counts: SubscriberCounts | undefined
}

async function observe(stage: Stage, seconds: number): Promise<Observed> {
  const { rssBytes } = await stage.usage()
  const endMs = performance.now() + seconds * 1000
  let observed: Observed = { rssGrowthBytes: 0, maxRssGrowthBytes: 0, counts: undefined }
  while (performance.now() < endMs) {
    await delay(SAMPLE_MS)
    const rssGrowthBytes = (await stage.usage()).rssBytes - rssBytes
    const counts = await stage.server.subscribers?.()
    observed = {
      rssGrowthBytes,
      maxRssGrowthBytes: Math.max(observed.maxRssGrowthBytes, rssGrowthBytes),
      counts: (counts?.dropped ?? 0) >= (observed.counts?.dropped ?? 0) ? counts : observed.counts,
    }
  }
  return observed
}

function toMb(sizeBytes: number): number {
  return sizeBytes / 1024 / 1024
}
