import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../error-text.ts'
import { CommandError } from '../command-error.ts'
import { isEdited } from './unit-text.ts'

/** A unit on the disk. */
export class UnitFile {
  readonly path: string

  constructor(file: string) {
    this.path = file
  }

  /** Returns its text; undefined when there is no unit. @throws {CommandError} when it can't be read */
  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8')
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw new CommandError(`${this.path} can't be read (${errorCode(error)})`, { cause: error })
    }
  }

  /**
   * Writes a text to the unit. A former unit that was edited is kept beside it.
   * @param force true to replace a unit that was edited, too
   * @returns `isNew` is true when the text has changed; `kept` is the path of the former unit, if it was edited
   * @throws {CommandError} when the unit was edited and `force` is false, or can't be written
   */
  async write(text: string, force: boolean): Promise<{ readonly isNew: boolean; readonly kept: string | undefined }> {
    const before = await this.read()
    if (before === text) return { isNew: false, kept: undefined }
    const kept = await this.clear(force)
    try {
      await mkdir(path.dirname(this.path), { recursive: true })
      await writeFile(`${this.path}.new`, text, { mode: 0o644 })
      await rename(`${this.path}.new`, this.path)
    } catch (error) {
      throw new CommandError(`${this.path} can't be written (${errorCode(error)})`, { cause: error })
    }
    return { isNew: true, kept }
  }

  /**
   * Checks that a unit may be written over, or removed.
   * @returns true when the unit was edited, and must be kept
   * @throws {CommandError} when the unit was edited and `force` is false
   */
  async check(force: boolean): Promise<boolean> {
    const before = await this.read()
    if (before === undefined || !isEdited(before)) return false
    if (force) return true
    throw new CommandError(
      `${this.path} was edited: --force takes its place, and keeps it beside; "systemctl edit" is for changes that stay`,
    )
  }

  /**
   * Renames a unit that was edited.
   * @returns its new path; undefined when it was not edited
   * @throws as {@link UnitFile.check}
   */
  async clear(force: boolean): Promise<string | undefined> {
    if (!(await this.check(force))) return undefined
    const time = new Date().toISOString().replaceAll(/\D/gu, '').slice(0, 14)
    const kept = `${this.path}.bak.${time}`
    await rename(this.path, kept)
    return kept
  }
}
