/** The end of a fake session: once, with a reason, told to all who asked. */
export class SessionEnd {
  #listeners: ((reason: string) => void)[] = []
  #reason: string | undefined

  get reason(): string | undefined {
    return this.#reason
  }

  onClose(listener: (reason: string) => void): void {
    if (this.#reason === undefined) this.#listeners.push(listener)
    else listener(this.#reason)
  }

  /** Returns false when it had ended already. */
  close(reason: string): boolean {
    if (this.#reason !== undefined) return false
    this.#reason = reason
    for (const listener of this.#listeners.splice(0)) listener(reason)
    return true
  }
}
