import { checkStoragePath, InvalidRequest, storageName } from 'sluice/sdk'

/** The values of placeholders in the names of files and folders. */
export type NameTerms = {
  readonly type: string
  readonly streamPath: string
  /** When the first picture came. */
  readonly startMs: number
}

const PLACEHOLDER = /\{([a-z]+)\}/giu

/**
 * Makes the path of a file, without ending, below the root of the storage.
 * @param folder with placeholders; those of the stream's path make folders
 * @param name with placeholders; what makes a path of it becomes `_`
 * @throws {InvalidRequest} when it would lead out of the storage
 */
export function filePathOf(folder: string, name: string, terms: NameTerms): string {
  const path = checkStoragePath(`${folderPathOf(folder, terms)}/${storageName(filled(name, terms, storageName))}`)
  return path
}

/** The folder alone; the root is empty. @throws {InvalidRequest} */
export function folderPathOf(folder: string, terms: NameTerms): string {
  return checkStoragePath(filled(folder, terms, (text) => text.split('/').map(storageName).join('/')))
}

/**
 * Checks a name with placeholders.
 * @throws {InvalidRequest} for a placeholder that there is not
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
