import { basename, dirname, resolve } from 'node:path'
import { watch } from 'chokidar'

/** Editors write a file in several steps. */
const SETTLE_MS = 50

/**
 * Calls back once the watch is up, and each time the file was written or replaced, until the returned function is called.
 * Its folder is watched, since a watch of the file itself would stay with the old one when another takes its name.
 */
export function watchFile(file: string, onChange: () => void): () => void {
  const path = resolve(file)
  const folder = dirname(path)
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    ignored: (candidate) => resolve(candidate) !== folder && basename(candidate) !== basename(path),
  })
  let timer: NodeJS.Timeout | undefined
  const settle = () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, SETTLE_MS)
  }
  watcher.on('add', settle).on('change', settle)
  // What was written before can't be told from what was there.
  watcher.on('ready', settle)
  watcher.on('error', (error) => process.emitWarning(`${file} is not watched: ${String(error)}`))
  return () => {
    clearTimeout(timer)
    void watcher.close()
  }
}
