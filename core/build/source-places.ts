import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { BUILD_FOLDER } from './running-build.ts'

/** The time that source maps are kept: they take megabytes once they are read, and errors come in bursts. */
const KEPT_MS = 30_000

const BUILD_URL = BUILD_FOLDER === undefined ? undefined : pathToFileURL(BUILD_FOLDER + path.sep).href
const PLACE = new RegExp(String.raw`${RegExp.escape(BUILD_URL ?? '')}([\w.$-]+\.js):(\d+):(\d+)`, 'gu')

const maps = new Map<string, SourceMap | undefined>()

/** A stack trace with the lines of the sources in place of those of the build. */
export function withSourcePlaces(stack: string): string {
  if (BUILD_URL === undefined || !stack.includes(BUILD_URL)) return stack
  return stack.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return place
    const { originalSource, originalLine, originalColumn } = entry
    return `${new URL(originalSource, BUILD_URL).href}:${originalLine + 1}:${originalColumn + 1}`
  })
}

function mapOf(file: string): SourceMap | undefined {
  if (maps.size === 0) setTimeout(() => maps.clear(), KEPT_MS).unref()
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

function readMap(file: string): SourceMap | undefined {
  try {
    const text = readFileSync(path.join(BUILD_FOLDER ?? '', `${file}.map`), 'utf8')
    return new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0])
  } catch {
    // A package may be installed without source maps.
    return undefined
  }
}
