/** The interval at which a file that is perhaps being written is checked. */
export const LOOK_MS = 50
/** The time without a change after which a file that was written in place is complete: programs write in parts. */
const STILL_MS = 300
/** The same for a file that replaced another one: mostly it was written before. */
const REPLACED_STILL_MS = LOOK_MS

/** The state of a file at one time. */
export type FileStamp = { readonly ino: number; readonly size: number; readonly mtimeMs: number }

/** Decides by repeated checks when a file is completely written. */
export class Settling {
  #seen: FileStamp | undefined
  #complete: FileStamp | undefined
  #sinceMs = 0

  /** Restarts the waiting time, as an event of the file has come. */
  touch(nowMs: number): void {
    this.#sinceMs = nowMs
  }

  /**
   * Takes the present state of the file.
   * @param stamp the state; undefined where there is no file
   * @returns `complete` when the file is to be read, `wait` when it is to be checked again, `gone` when there is none
   */
  look(stamp: FileStamp | undefined, nowMs: number): 'complete' | 'wait' | 'gone' {
    if (!isSame(stamp, this.#seen)) {
      this.#seen = stamp
      this.#sinceMs = nowMs
    }
    const isReplaced = this.#complete !== undefined && stamp?.ino !== this.#complete.ino && stamp?.size !== 0
    if (nowMs - this.#sinceMs < (isReplaced ? REPLACED_STILL_MS : STILL_MS)) return 'wait'
    if (stamp === undefined) return 'gone'
    this.#complete = stamp
    return 'complete'
  }
}

function isSame(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  return one?.ino === other?.ino && one?.size === other?.size && one?.mtimeMs === other?.mtimeMs
}
