import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../error-text.ts'
import { CommandError } from '../command-error.ts'
import { isEdited } from './unit-text.ts'

/** A unit as it lies on the disk. */
export class UnitFile {
  readonly path: string

  constructor(file: string) {
    this.path = file
  }

  /** Its text; undefined where there is none. @throws {CommandError} when it can't be read */
  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8')
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw new CommandError(`${this.path} can't be read (${errorCode(error)})`, { cause: error })
    }
  }

  /**
   * Puts a text in its place. A unit that was edited is kept beside it.
   * @param force also a unit that was edited
   * @returns whether it was another; and where the one before is, if it was edited
   * @throws {CommandError} when it was edited, or can't be written
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
   * @returns whether it was edited, and is to be kept
   * @throws {CommandError} when it was edited, and not by `force`
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
   * Moves a unit that was edited out of the way.
   * @returns where it is now; undefined where it was not edited
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
