import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** True for an address that names a local file with one of these endings: it has no scheme, or `file:`. */
export function namesFile(url: string, endings: readonly string[]): boolean {
  const isLocal = !/^[a-z][a-z\d+.-]*:/iu.test(url) || /^file:/iu.test(url)
  return isLocal && endings.includes(path.extname(url).toLowerCase())
}

/**
 * Finds the file that an address names, in folders whose files may be played. A relative one is looked for in each of them.
 * @param folders the folders of `global.pull.folders`, relative to the working directory
 * @throws {Error} when there is no such file, or it is outside the folders, also by way of a link
 */
export async function findSourceFile(url: string, folders: readonly string[]): Promise<string> {
  const named = /^file:\/\//iu.test(url) ? fileURLToPath(url) : url.replace(/^file:/iu, '')
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined)
    if (root === undefined) continue
    const file = await realpath(path.resolve(root, named)).catch(() => undefined)
    if (file === undefined || !file.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) continue
    if ((await stat(file)).isFile()) return file
  }
  throw new Error(`there is no such file in the folders of global.pull.folders (${folders.join(', ') || 'none'})`)
}
