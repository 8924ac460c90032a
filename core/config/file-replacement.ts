import {
  copyFile,
  constants,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  type FileHandle,
} from 'node:fs/promises'
import path from 'node:path'
import { errorCode, SluiceError } from 'sluice/sdk'

/** The backups of a file that are kept; older ones are deleted. */
const KEPT_BACKUPS = 10
const SECOND_MS = 1000
/** The length of `YYYYMMDDhhmmss`. */
const STAMP_LENGTH = 14

/** The config file can't be written, or no backup of it can be made (`CONFIG_FILE`, 500). */
class FileUnwritable extends SluiceError {
  constructor(cause: unknown) {
    const code = errorCode(cause) || 'unknown error'
    super('CONFIG_FILE', 500, `the config file can't be written (${code}): see to its folder's permissions`, { cause })
  }
}

/**
 * Replaces the text of a file, which has either the whole old or the whole new text at any time; resolves when the new one
 * is on the disk. The file keeps its mode and owner, and the old text becomes a backup (see {@link backUp}).
 * @throws {SluiceError} when the file can't be written; it stays as it was then
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  try {
    await backUp(file)
    const target = await realpath(file)
    const temporary = `${target}.new`
    try {
      await writeLike(target, temporary, text)
      await rename(temporary, target)
    } finally {
      await rm(temporary, { force: true })
    }
    await sync(path.dirname(target))
  } catch (error) {
    throw new FileUnwritable(error)
  }
}

/**
 * Copies a file to `NAME.bak.YYYYMMDDhhmmss` (UTC) beside it, unless the newest backup is the same; keeps the newest ten.
 * @throws {Error} when the folder can't be read or written
 */
export async function backUp(file: string): Promise<void> {
  const target = await realpath(file)
  const backups = await backupsOf(target)
  const newest = backups.at(-1)
  if (newest !== undefined && (await readFile(newest)).equals(await readFile(target))) return
  const copy = `${target}.bak.${stampAfter(newest?.slice(-STAMP_LENGTH))}`
  await copyFile(target, copy, constants.COPYFILE_EXCL)
  for (const old of [...backups, copy].slice(0, -KEPT_BACKUPS)) await rm(old, { force: true })
}

/** The backups of a file, the oldest first. */
async function backupsOf(target: string): Promise<string[]> {
  const folder = path.dirname(target)
  const prefix = `${path.basename(target)}.bak.`
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(prefix) && /^\d{14}$/u.test(name.slice(prefix.length)),
  )
  return names.toSorted().map((name) => path.join(folder, name))
}

/** The stamp of the present time, or of the second after `newest` where that is later, so that backups sort by name. */
function stampAfter(newest: string | undefined): string {
  const [year, month, day, hour, minute, second] = /^(....)(..)(..)(..)(..)(..)$/u.exec(newest ?? '')?.slice(1) ?? []
  const nextMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + SECOND_MS
  const atMs = Math.max(Date.now(), Number.isNaN(nextMs) ? 0 : nextMs)
  return new Date(atMs).toISOString().replaceAll(/\D/gu, '').slice(0, STAMP_LENGTH)
}

async function writeLike(target: string, file: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(target)
  // A file that an interrupted attempt has left may have another mode.
  await rm(file, { force: true })
  await using handle = await open(file, 'wx', mode)
  await handle.chmod(mode)
  await own(handle, uid, gid)
  await handle.writeFile(text)
  await handle.sync()
}

async function own(handle: FileHandle, uid: number, gid: number): Promise<void> {
  const { uid: ownUid, gid: ownGid } = await handle.stat()
  if (uid !== ownUid || gid !== ownGid) await handle.chown(uid, gid)
}

async function sync(folder: string): Promise<void> {
  // Windows can't open folders.
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
