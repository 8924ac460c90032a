import {
  FRAGMENT_TABLE_TAIL_BYTES,
  MalformedError,
  parseFragmentTable,
  parseFragmentTableSize,
  type FragmentTime,
} from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'
import { inTurns } from './turns.ts'

const MAX_TABLE_SIZE_BYTES = 64 * 1024 * 1024

/** The fragments of a track by the table at the end of the file; undefined when it is missing or malformed. */
export async function readFragmentIndex(bytes: RecordingBytes, trackId: number): Promise<FragmentTime[] | undefined> {
  const { sizeBytes } = bytes
  const tail = await bytes.read(Math.max(0, sizeBytes - FRAGMENT_TABLE_TAIL_BYTES), FRAGMENT_TABLE_TAIL_BYTES)
  const tableBytes = parseFragmentTableSize(tail)
  if (tableBytes === undefined || tableBytes > Math.min(sizeBytes, MAX_TABLE_SIZE_BYTES)) return undefined
  try {
    const entries = await inTurns(parseFragmentTable(await bytes.read(sizeBytes - tableBytes, tableBytes), trackId))
    return entries !== undefined && isOrdered(entries, sizeBytes) ? entries : undefined
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return undefined
  }
}

function isOrdered(entries: readonly FragmentTime[], sizeBytes: number): boolean {
  return (
    entries.length > 0 &&
    entries.every(({ time, moofOffset }, index) => {
      const before = entries[index - 1]
      return (
        moofOffset < sizeBytes && (before === undefined || (time >= before.time && moofOffset >= before.moofOffset))
      )
    })
  )
}
