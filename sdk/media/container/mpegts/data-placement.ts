/** The most units that may wait for media, and their bytes. */
const MAX_WAITING_UNITS = 64
const MAX_WAITING_BYTES = 256 * 1024

/** A track of data, which is declared when it is time, and before anything is written. */
export interface PlacedData {
  declare(): void
  /** @param ticks The time, of 90 kHz modulo 2^33. */
  write(data: Buffer, ticks: number): void
}

type Waiting = { readonly to: PlacedData; readonly data: Buffer; readonly ticks: number | undefined }

/**
 * The place of a program's data among its media. Tracks of data are declared after the first one of media, so that no
 * subscriber takes a stream for one of data alone; where the program has no media, at once. Data that states no time has that
 * of the newest packet of the leading media (the first stream of pictures, or else of sound): its decoding time. It waits for
 * one, within limits. In a program without media it is that of the newest clock reference.
 */
export class DataPlacement {
  readonly #onDrop: () => void
  readonly #placed = new Set<PlacedData>()
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #isOpen = false
  #ticks: number | undefined

  constructor(onDrop: () => void) {
    this.#onDrop = onDrop
  }

  add(data: PlacedData): void {
    this.#placed.add(data)
    if (this.#isOpen) data.declare()
  }

  /** Its track has ended. */
  remove(data: PlacedData): void {
    this.#placed.delete(data)
    this.#waiting = this.#waiting.filter(({ to }) => to !== data)
    this.#waitingBytes = this.#waiting.reduce((sum, { data: { length } }) => sum + length, 0)
  }

  /** Media has its first track, or there is none. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    for (const data of this.#placed) data.declare()
    this.#release()
  }

  /** Media, or the clock where there is none, has come to this time. */
  moveTo(ticks: number): void {
    this.#ticks = ticks
    if (this.#waiting.length > 0) this.#release()
  }

  /** Drops the data that waits: the next packets are from another place. */
  loseTime(): void {
    this.#ticks = undefined
    for (let left = this.#waiting.length; left > 0; left--) this.#onDrop()
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** Writes a unit, which is kept until then. @param ticks Its own time, if it states one. */
  write(to: PlacedData, data: Buffer, ticks: number | undefined): void {
    const time = ticks ?? this.#ticks
    if (this.#isOpen && time !== undefined) return to.write(data, time)
    const isFull = this.#waiting.length >= MAX_WAITING_UNITS || this.#waitingBytes + data.length > MAX_WAITING_BYTES
    if (isFull) return this.#onDrop()
    this.#waiting.push({ to, data, ticks })
    this.#waitingBytes += data.length
  }

  #release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    for (const { to, data, ticks } of waiting) this.write(to, data, ticks)
  }
}
