/** The number of acknowledgements that can wait for their answer: ten seconds of them. */
const CAPACITY = 1024

/** The times at which acknowledgements were sent, from which their answers give the round trip. */
export class AcknowledgementLog {
  // The arrays are allocated by the first acknowledgement: an end that only sends has none.
  #numbers = new Uint32Array(0)
  #timesUs = new Float64Array(0)
  #indexes = new Float64Array(0)

  add(number: number, nowUs: number, index: number): void {
    if (this.#numbers.length === 0) {
      this.#numbers = new Uint32Array(CAPACITY)
      this.#timesUs = new Float64Array(CAPACITY)
      this.#indexes = new Float64Array(CAPACITY)
    }
    const slot = number % CAPACITY
    this.#numbers[slot] = number
    this.#timesUs[slot] = nowUs
    this.#indexes[slot] = index
  }

  /** Takes out the entry of a number, as its first answer alone counts. */
  take(number: number): { readonly timeUs: number; readonly index: number } | undefined {
    const slot = number % CAPACITY
    if (number === 0 || this.#numbers[slot] !== number) return undefined
    this.#numbers[slot] = 0
    return { timeUs: this.#timesUs[slot]!, index: this.#indexes[slot]! }
  }
}
