import { playHttpFlv, playWsFlv } from '../robustness/support/flv-client.ts'
import { NumberCheck } from '../robustness/support/numbered-video.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { RtmpClient } from '../robustness/support/rtmp-client.ts'
import type { CrowdAnswer, CrowdQuestion, CrowdReport, CrowdSize } from './crowd.ts'

const FPS = 5
const FRAME_SIZE_BYTES = 400
/** How many connections are opened at a time. */
const OPENED_AT_ONCE = 50

type Viewer = { readonly check: NumberCheck; close(): void }

let publishers: NumberedPublisher[] = []
let viewers: Viewer[] = []
let closedCount = 0
let leaving = false

process.on('message', (question: CrowdQuestion) => {
  void answer(question).then(
    (report) => process.send?.({ id: question.id, report } satisfies CrowdAnswer),
    (error: unknown) => process.send?.({ id: question.id, error: String(error) } satisfies CrowdAnswer),
  )
})
process.on('disconnect', () => process.exit())

async function answer(question: CrowdQuestion): Promise<CrowdReport> {
  if (question.ask === 'join') await join(question.size)
  else if (question.ask === 'leave') leave()
  return report()
}

async function join({ ports, publisherCount, viewerCount }: CrowdSize): Promise<void> {
  leaving = false
  closedCount = 0
  publishers = await openAll(publisherCount, async (index) => {
    const publisher = await NumberedPublisher.start({
      port: ports.rtmp,
      name: `crowd${index}`,
      fps: FPS,
      sizeBytes: FRAME_SIZE_BYTES,
    })
    void watch(publisher.client.closed)
    return publisher
  })
  viewers = await openAll(viewerCount, (index) => openViewer(ports, `crowd${index % publisherCount}`, index))
}

function leave(): void {
  leaving = true
  for (const viewer of viewers) viewer.close()
  for (const publisher of publishers) publisher.close()
  viewers = []
  publishers = []
}

function report(): CrowdReport {
  return {
    publishers: publishers.length,
    viewers: viewers.length,
    closed: closedCount,
    gaps: viewers.flatMap(({ check }) => check.gaps),
    leastFrames: Math.min(...viewers.map(({ check }) => check.count)),
  }
}

/** A viewer over RTMP, HTTP or WebSocket, in turn. */
async function openViewer(ports: CrowdSize['ports'], name: string, index: number): Promise<Viewer> {
  const check = new NumberCheck()
  const flv = {
    port: ports.http,
    target: `live/${name}`,
    onTag: ({ type, body }: { readonly type: number; readonly body: Buffer }) => check.receive(type, body),
  }
  const client = await [
    () => RtmpClient.play({ port: ports.rtmp }, name, ({ typeId, payload }) => check.receive(typeId, payload)),
    () => playHttpFlv(flv),
    () => playWsFlv(flv),
  ][index % 3]!()
  void watch(client.closed)
  return { check, close: () => client.close() }
}

async function watch(closed: Promise<unknown>): Promise<void> {
  await closed
  if (!leaving) closedCount++
}

async function openAll<T>(count: number, open: (index: number) => Promise<T>): Promise<T[]> {
  const opened: T[] = []
  while (opened.length < count) {
    const first = opened.length
    const next = Math.min(OPENED_AT_ONCE, count - first)
    opened.push(...(await Promise.all(Array.from({ length: next }, (_, index) => open(first + index)))))
  }
  return opened
}
