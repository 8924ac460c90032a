import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isUnchanged, type SourceStamp } from './source-stamp.ts'

/** The file beside a build's modules that lists the sources that it was made of. */
export const RECORD_FILE = 'build.json'

/** The record of a build. All paths are below the package's folder, with slashes. */
export type BuildRecord = {
  /** The sources that the build was made of. */
  readonly sources: Readonly<Record<string, SourceStamp>>
  /** The modules that can be run or imported by themselves: the path of each source, and the file that was made of it. */
  readonly entries: Readonly<Record<string, string>>
}

/** The record of the build in a folder; undefined where there is none. */
export function readRecord(folder: string): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, RECORD_FILE), 'utf8')) as BuildRecord
  } catch {
    return undefined
  }
}

/** The sources of a build that have changed since, or are gone. */
export function changedSources({ sources }: BuildRecord, root: string): string[] {
  return Object.entries(sources).flatMap(([source, stamp]) =>
    isUnchanged(path.join(root, source), stamp) ? [] : [source],
  )
}
