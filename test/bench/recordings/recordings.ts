import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { FlvViewer } from '../../support/flv-viewer.ts'
import type { ServerCommand } from '../../support/command.ts'
import { usageOf } from '../servers/process-usage.ts'
import { formatNumber, formatTable } from '../report/table.ts'
import { distributionOf, type Distribution } from '../statistics.ts'
import { DAY_MINUTES, DAY_START_MS, DAY_STREAM, MINUTE_MS, startRecordedDay, type RecordedDay } from './recorded-day.ts'

const REPEATS = 30
const VIEWERS = 50
const VIEWED_MS = 20_000
const DAY_END_MS = DAY_START_MS + DAY_MINUTES * MINUTE_MS
/** A FLV with its header, metadata and decoder configurations has fewer bytes than a picture. */
const FIRST_PICTURE_BYTES = 2000

/** How long something took, in milliseconds. */
export type TimedResult = { readonly name: string; readonly ms: Distribution }
export type RecordingsResult = {
  readonly times: readonly TimedResult[]
  readonly viewers: {
    readonly count: number
    /** Of the viewer who got the fewest, and of the one who got the most, in each second. */
    readonly fewestPictures: number
    readonly mostPictures: number
    readonly cpuPercent: number
    readonly kibPerViewer: number
  }
}

/** Lists, begins and steers recordings of a day of 1,440 files, and has many viewers play as many recordings. */
export async function runRecordings(): Promise<RecordingsResult> {
  const day = await startRecordedDay(VIEWERS)
  try {
    const { server } = day
    const range = `start=${DAY_START_MS}&end=${DAY_END_MS}`
    const answered = (target: string) => () => fetch(server.http(target)).then((answer) => answer.arrayBuffer())
    return {
      times: [
        await timed('list, 50 of them', answered(`/api/record/mp4/list/${DAY_STREAM}?pageSize=50`)),
        await timed('list, all', answered(`/api/record/mp4/list/${DAY_STREAM}?pageSize=${DAY_MINUTES}`)),
        await timed('HLS playlist of the day', answered(`/hls/vod/fmp4.m3u8?streamPath=${DAY_STREAM}&${range}`)),
        await timed('to the first picture at a random time', (index) => firstPicture(server, index)),
        await seeks(server),
      ],
      viewers: await watch(day),
    }
  } finally {
    await day.stop()
  }
}

async function timed(name: string, run: (index: number) => Promise<unknown>): Promise<TimedResult> {
  const times: number[] = []
  for (let index = 0; index <= REPEATS; index++) {
    const startMs = performance.now()
    await run(index)
    // The first one compiles what the others run.
    if (index > 0) times.push(performance.now() - startMs)
  }
  return { name, ms: distributionOf(times) }
}

function randomTimeMs(): number {
  return DAY_START_MS + Math.floor(Math.random() * (DAY_MINUTES - 1) * MINUTE_MS)
}

async function firstPicture(server: ServerCommand, index: number): Promise<void> {
  const url = server.http(`/flv/vod_mp4_${index}/${DAY_STREAM}.flv?start=${randomTimeMs()}&end=${DAY_END_MS}`)
  const request = get(url, { agent: false })
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  let received = 0
  for await (const bytes of response) {
    received += (bytes as Buffer).length
    if (received >= FIRST_PICTURE_BYTES) break
  }
  request.destroy()
}

async function seeks(server: ServerCommand): Promise<TimedResult> {
  const streamPath = `vod_mp4_1000/${DAY_STREAM}`
  const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv?start=${DAY_START_MS}&end=${DAY_END_MS}`))
  await viewer.received.wait(1)
  const result = await timed('seek to a random time, to the answer', async () => {
    const body = JSON.stringify({ timeStamp: Math.floor(randomTimeMs() / 1000) })
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(server.http(`/api/stream/seek/${streamPath}`), { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`the seek was answered with ${status}`)
  })
  viewer.close()
  return result
}

async function watch({ server, others }: RecordedDay): Promise<RecordingsResult['viewers']> {
  const { pid } = server.process
  const idle = await usageOf(pid)
  const range = `start=${DAY_START_MS}&end=${DAY_END_MS}`
  const viewers = others.map(
    (stream, index) => new FlvViewer(server.http(`/flv/vod_mp4_${index}/${stream}.flv?${range}`)),
  )
  await Promise.all(viewers.map(({ received }) => received.wait(1)))
  const pictures = () => viewers.map(({ received }) => received.frames.filter(({ kind }) => kind === 'video').length)
  const [before, startMs, started] = [pictures(), performance.now(), await usageOf(pid)]
  await delay(VIEWED_MS)
  const [after, seconds, ended] = [pictures(), (performance.now() - startMs) / 1000, await usageOf(pid)]
  for (const viewer of viewers) viewer.close()
  const perSecond = after.map((count, index) => (count - before[index]!) / seconds)
  return {
    count: viewers.length,
    fewestPictures: Math.min(...perSecond),
    mostPictures: Math.max(...perSecond),
    cpuPercent: (100 * (ended.cpuSeconds - started.cpuSeconds)) / seconds,
    kibPerViewer: (ended.rssBytes - idle.rssBytes) / 1024 / viewers.length,
  }
}

/** As a person reads it. */
export function formatRecordings({ times, viewers }: RecordingsResult): string {
  const rows = times.map(({ name, ms }) => [name, ...[ms.p50, ms.p99, ms.max].map((value) => formatNumber(value, 0))])
  const { count, fewestPictures, mostPictures, cpuPercent, kibPerViewer } = viewers
  const rates = [fewestPictures, mostPictures].map((rate) => formatNumber(rate, 1)).join(' to ')
  return `
A day of ${DAY_MINUTES} recordings, each ${REPEATS} times

${formatTable(['what', 'p50 ms', 'p99 ms', 'max ms'], rows)}
${count} viewers of ${count} recordings: ${rates} pictures a second, ${formatNumber(cpuPercent, 1)} % of a core, \
${formatNumber(kibPerViewer, 0)} KB for each
`
}
