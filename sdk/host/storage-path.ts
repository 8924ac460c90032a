import path from 'node:path'
import { InvalidRequest } from '../errors/stream-errors.ts'

/** The characters that some system forbids in a file name, control characters and `\` among them. */
const FORBIDDEN = /[\u0000-\u001f\u007f<>:"|?*\\]/gu
/** The longest name of a file or folder, in bytes of UTF-8, with room for an ending and a number. */
const MAX_NAME_BYTES = 200
const MAX_PARTS = 32

/**
 * Checks a path below the root of the storage, with `/` between its parts, and gives it back without empty and `.` parts; the root itself is
 * empty.
 * @throws {InvalidRequest} when it would lead elsewhere, or no file can be called so
 */
export function checkStoragePath(text: string): string {
  if (text.startsWith('/') || path.win32.isAbsolute(text)) throw new InvalidRequest('the path must be a relative one')
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length > MAX_PARTS) throw new InvalidRequest('the path has too many parts')
  for (const part of parts) {
    if (part === '..') throw new InvalidRequest('the path leads out of the storage')
    if (part !== storageName(part)) throw new InvalidRequest('the path has a name that files cannot have')
  }
  return parts.join('/')
}

/** Makes the name of a file or folder of a text: forbidden characters become `_`, and a long name is cut. */
export function storageName(text: string): string {
  const allowed = text.toWellFormed().replaceAll(FORBIDDEN, '_').replaceAll('/', '_')
  const bytes = Buffer.from(allowed)
  if (bytes.length <= MAX_NAME_BYTES) return /^\.*$/u.test(allowed) ? '_'.repeat(allowed.length || 1) : allowed
  // A character that was cut in two is left out.
  return bytes.toString('utf8', 0, MAX_NAME_BYTES).replace(/\uFFFD+$/u, '')
}
