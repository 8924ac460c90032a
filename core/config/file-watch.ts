import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { watch } from 'chokidar'
import { LOOK_MS, Settling, type FileStamp } from './settling.ts'

/**
 * Calls `onChange` once the watch is ready, and each time the file was written or replaced and is complete (see
 * {@link Settling}), until the returned function is called. The folder is watched, as a watch of the file itself would stay
 * with the old file after a replacement.
 */
export function watchFile(file: string, onChange: () => void): () => void {
  const path = resolve(file)
  const folder = dirname(path)
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    ignored: (candidate) => resolve(candidate) !== folder && basename(candidate) !== basename(path),
  })
  const settling = new Settling()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const check = async () => {
    const verdict = settling.look(await stampOf(path), performance.now())
    if (isClosed) return
    timer = verdict === 'wait' ? setTimeout(() => void check(), LOOK_MS) : undefined
    if (verdict === 'complete') onChange()
  }
  const settle = () => {
    settling.touch(performance.now())
    timer ??= setTimeout(() => void check(), LOOK_MS)
  }
  watcher.on('add', settle).on('change', settle)
  // Writes before the watch was ready raise no event.
  watcher.on('ready', settle)
  watcher.on('error', (error) => process.emitWarning(`${file} is not watched: ${String(error)}`))
  return () => {
    isClosed = true
    clearTimeout(timer)
    void watcher.close()
  }
}

/** The present state of a file; undefined where there is none, or it can't be read. */
async function stampOf(path: string): Promise<FileStamp | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(path)
    return { ino, size, mtimeMs }
  } catch {
    return undefined
  }
}
