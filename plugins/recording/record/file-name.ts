import { checkStoragePath, InvalidRequest, storageName } from 'sluice/sdk'

/** The values of placeholders in the names of files and folders. */
export type NameTerms = {
  readonly type: string
  readonly streamPath: string
  /** The date of the file's first unit, in Unix milliseconds. */
  readonly startMs: number
}

const PLACEHOLDER = /\{([a-z]+)\}/giu

/**
 * Returns the path of a file below the root of the storage, without its extension.
 * @param folder may have placeholders; the slashes of a stream's path make folders
 * @param name may have placeholders; characters that would make folders become `_`
 * @throws {InvalidRequest} when the path would lead out of the storage
 */
export function filePathOf(folder: string, name: string, terms: NameTerms): string {
  const path = checkStoragePath(`${folderPathOf(folder, terms)}/${storageName(filled(name, terms, storageName))}`)
  return path
}

/** Returns the path of a folder below the root of the storage; empty for the root itself. @throws {InvalidRequest} */
export function folderPathOf(folder: string, terms: NameTerms): string {
  return checkStoragePath(filled(folder, terms, (text) => text.split('/').map(storageName).join('/')))
}

/**
 * Checks a name with placeholders.
 * @throws {InvalidRequest} for an unknown placeholder
 */
export function checkPlaceholders(text: string): void {
  for (const [written, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (!isPlaceholder(name)) throw new InvalidRequest(`${written}: there are {stream}, {type}, {date} and {time}`)
  }
}

function filled(text: string, { type, streamPath, startMs }: NameTerms, safe: (path: string) => string): string {
  const { date, time } = localTime(startMs)
  const values = { stream: safe(streamPath), type, date, time }
  return text.replaceAll(PLACEHOLDER, (written: string, name: string) => {
    const known = name.toLowerCase()
    return isPlaceholder(known) ? values[known] : written
  })
}

function isPlaceholder(name: string): name is 'stream' | 'type' | 'date' | 'time' {
  return ['stream', 'type', 'date', 'time'].includes(name.toLowerCase())
}

/** The local date and time, with `-` for `:`. */
function localTime(ms: number): { readonly date: string; readonly time: string } {
  const at = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: `${two(at.getHours())}-${two(at.getMinutes())}-${two(at.getSeconds())}`,
  }
}
