import { link, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { publish } from '../../peers/ffmpeg.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ServerCommand } from '../../support/command.ts'
import type { ListedFile } from '../../support/recordings.ts'

/** The stream of which a whole day is recorded. */
export const DAY_STREAM = 'day/camera'
export const DAY_MINUTES = 24 * 60
export const MINUTE_MS = 60_000
/** When that day begins; one that is over. */
export const DAY_START_MS = Date.parse('2026-01-31T00:00:00Z')
const MINUTES_OF_OTHERS = 3
const CONFIG = `
mp4: { onpub: { record: { ^made/: { filepath: '{stream}' } } } }
`

/** A server with recordings, in a process of its own. */
export type RecordedDay = {
  readonly server: ServerCommand
  /** Other streams, of which there are some minutes each. */
  readonly others: readonly string[]
  stop(): Promise<void>
}

/** Records one minute, and puts it into the catalogue as all minutes of a day: the files are links to the one. */
export async function startRecordedDay(otherCount: number): Promise<RecordedDay> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
  await writeFile(path.join(folder, 'config.yaml'), CONFIG)
  const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
  const others = Array.from({ length: otherCount }, (_, index) => `others/${index}`)
  await recordMinute(server)
  const minutes = [
    ...Array.from({ length: DAY_MINUTES }, (_, minute) => ({ streamPath: DAY_STREAM, minute })),
    ...others.flatMap((streamPath) =>
      Array.from({ length: MINUTES_OF_OTHERS }, (_, minute) => ({ streamPath, minute })),
    ),
  ]
  await putIntoCatalogue(folder, minutes)
  return {
    server,
    others,
    async stop() {
      await server.process.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function recordMinute(server: ServerCommand): Promise<void> {
  const video = { gopFrames: 50 }
  await publish({ url: server.rtmp('made/minute'), durationSeconds: 60, realtime: false, video }).succeed()
  await waitFor(async () => {
    const answer = await fetch(server.http('/api/record/mp4/list/made/minute'))
    const { data } = (await answer.json()) as { readonly data: readonly ListedFile[] }
    return data.length === 1 && data[0]?.isActive === false
  })
}

async function putIntoCatalogue(
  folder: string,
  minutes: readonly { readonly streamPath: string; readonly minute: number }[],
): Promise<void> {
  const root = path.join(folder, 'recordings')
  const db = new DatabaseSync(path.join(folder, 'data', 'sluice.db'))
  const { id: _id, ...made } = db.prepare('select * from sluice_recording').get() as Record<string, string | number>
  const columns = Object.keys(made)
  const insert = db.prepare(
    `insert into sluice_recording (${columns.join()}) values (${columns.map((name) => `:${name}`).join()})`,
  )
  db.exec('begin')
  for (const { streamPath, minute } of minutes) {
    const filePath = `${streamPath}/${minute}.mp4`
    await mkdir(path.dirname(path.join(root, filePath)), { recursive: true })
    await link(path.join(root, String(made['file_path'])), path.join(root, filePath))
    const startMs = DAY_START_MS + minute * MINUTE_MS
    const placed = { stream_path: streamPath, file_path: filePath, start_ms: startMs, end_ms: startMs + MINUTE_MS }
    insert.run({ ...made, ...placed })
  }
  db.exec('commit')
  db.close()
}
