import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

/**
 * The state of a file at some time: its size in bytes, the time of its last change in milliseconds, and a digest of its
 * content. The time is 0 where it proves nothing, as the file was written just before.
 */
export type SourceStamp = readonly [sizeBytes: number, mtimeMs: number, digest: string]

/** File systems keep times in steps: a file that is younger than this may change again without another time. */
const PROVING_AGE_MS = 2000

/** The state of a file now; undefined where there is none. */
export function stampOf(file: string): SourceStamp | undefined {
  try {
    const { size, mtimeMs } = statSync(file)
    const isOldEnough = Date.now() - mtimeMs > PROVING_AGE_MS
    return [size, isOldEnough ? mtimeMs : 0, digestOf(file)]
  } catch {
    return undefined
  }
}

/**
 * Returns true when a file still has the content of its stamp, or is still missing when `stamp` is undefined. Reads the file
 * where its time proves nothing.
 */
export function isUnchanged(file: string, stamp: SourceStamp | undefined): boolean {
  try {
    const { size, mtimeMs } = statSync(file)
    if (stamp === undefined || size !== stamp[0]) return false
    return mtimeMs === stamp[1] || digestOf(file) === stamp[2]
  } catch {
    return stamp === undefined
  }
}

function digestOf(file: string): string {
  return hash('sha256', readFileSync(file), 'base64url')
}
