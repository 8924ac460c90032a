import path from 'node:path'
import { waitFor } from '../peers/wait-for.ts'
import type { RunningServer } from './server.ts'

/** `RecordFile` of the API. */
export type ListedFile = {
  readonly id: number
  readonly filePath: string
  readonly streamPath: string
  readonly startTime: string
  readonly endTime: string
  readonly type: string
  readonly duration: number
  readonly audioCodec: string
  readonly videoCodec: string
  readonly size: string
  readonly isActive: boolean
}

/** The files that the API lists, the oldest first. */
export async function listedFiles(server: RunningServer, type: string, streamPath = ''): Promise<ListedFile[]> {
  const { status, body } = await server.api(`/api/record/${type}/list/${streamPath}?pageSize=10000`)
  if (status !== 200) throw new Error(body.message)
  return (body.data as ListedFile[]).toReversed()
}

/** Waits until there are so many files of a type, and none of them is being written. */
export async function finishedFiles(server: RunningServer, type: string, count = 1): Promise<ListedFile[]> {
  let files: ListedFile[] = []
  await waitFor(async () => {
    files = await listedFiles(server, type)
    const active = files.filter(({ isActive }) => isActive)
    if (active.length > 0) throw new Error(`still written: ${active.map(({ filePath }) => filePath).join(', ')}`)
    return files.length >= count
  })
  return files
}

/** Where a file lies that the API lists. */
export function placeOf(server: RunningServer, { filePath }: Pick<ListedFile, 'filePath'>): string {
  return path.join(server.folder, 'recordings', filePath)
}

/** Asks for a change, and gives the `data` of the answer. */
export async function post(server: RunningServer, target: string, body: unknown = {}): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await server.api(target, init)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.message}`)
  return answer.body.data
}
