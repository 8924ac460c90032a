/** How many acknowledgements can wait for their answer: ten seconds of them. */
const CAPACITY = 1024

/** When acknowledgements were sent, so that their answers show how long the way is. */
export class AcknowledgementLog {
  readonly #numbers = new Uint32Array(CAPACITY)
  readonly #timesUs = new Float64Array(CAPACITY)
  readonly #indexes = new Float64Array(CAPACITY)

  add(number: number, nowUs: number, index: number): void {
    const slot = number % CAPACITY
    this.#numbers[slot] = number
    this.#timesUs[slot] = nowUs
    this.#indexes[slot] = index
  }

  /** Takes out what was sent under a number, whose answer counts once. */
  take(number: number): { readonly timeUs: number; readonly index: number } | undefined {
    const slot = number % CAPACITY
    if (number === 0 || this.#numbers[slot] !== number) return undefined
    this.#numbers[slot] = 0
    return { timeUs: this.#timesUs[slot]!, index: this.#indexes[slot]! }
  }
}
