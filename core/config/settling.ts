/** How often a file is looked at that somebody may be writing. */
export const LOOK_MS = 50
/** A file that is written in its place is complete when it has been still for so long: programs write in parts. */
const STILL_MS = 300
/** One that took its place has been written before, mostly. */
const REPLACED_STILL_MS = LOOK_MS

/** The state of a file, as it is looked at. */
export type FileSight = { readonly ino: number; readonly size: number; readonly mtimeMs: number }

/** Tells from looks at a file when whoever writes it is done. */
export class Settling {
  #seen: FileSight | undefined
  #complete: FileSight | undefined
  #sinceMs = 0

  /** Something has happened to the file. */
  touch(nowMs: number): void {
    this.#sinceMs = nowMs
  }

  /**
   * Takes in what is seen now.
   * @param sight undefined where there is no file
   * @returns `complete` when the file is to be read, `wait` when it is to be looked at again, `gone` when there is none
   */
  look(sight: FileSight | undefined, nowMs: number): 'complete' | 'wait' | 'gone' {
    if (!isSame(sight, this.#seen)) {
      this.#seen = sight
      this.#sinceMs = nowMs
    }
    const isReplaced = this.#complete !== undefined && sight?.ino !== this.#complete.ino && sight?.size !== 0
    if (nowMs - this.#sinceMs < (isReplaced ? REPLACED_STILL_MS : STILL_MS)) return 'wait'
    if (sight === undefined) return 'gone'
    this.#complete = sight
    return 'complete'
  }
}

function isSame(one: FileSight | undefined, other: FileSight | undefined): boolean {
  return one?.ino === other?.ino && one?.size === other?.size && one?.mtimeMs === other?.mtimeMs
}
