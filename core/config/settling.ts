/** The interval at which a file that is perhaps being written is checked. */
export const LOOK_MS = 50
/** The time without a change after which a file that was written in place is complete: programs write in parts. */
const STILL_MS = 300
/** The same for a file that replaced another one: mostly it was written before. */
const REPLACED_STILL_MS = LOOK_MS

/** The state of a file at one time. */
export type FileSight = { readonly ino: number; readonly size: number; readonly mtimeMs: number }

/** Decides by repeated checks when a file is completely written. */
export class Settling {
  #seen: FileSight | undefined
  #complete: FileSight | undefined
  #sinceMs = 0

  /** Restarts the waiting time, as an event of the file has come. */
  touch(nowMs: number): void {
    this.#sinceMs = nowMs
  }

  /**
   * Takes the present state of the file.
   * @param sight the state; undefined where there is no file
   * @returns `complete` when the file is to be read, `wait` when it is to be checked again, `gone` when there is none
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
