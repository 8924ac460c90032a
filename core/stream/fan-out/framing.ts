import type { Sink } from 'sluice/sdk'

type Frame = NonNullable<Sink['frame']>

const framings = new WeakMap<Frame, Framing>()

/** The framing of all sinks with this function; undefined for sinks without one. */
export function framingOf(frame: Frame | undefined): Framing | undefined {
  if (frame === undefined) return undefined
  const known = framings.get(frame)
  if (known !== undefined) return known
  const framing = new Framing(frame)
  framings.set(frame, framing)
  return framing
}

/** Frames the bytes of one write for a transport. Each buffer is framed once, for as long as it is in use. */
export class Framing {
  readonly #frame: Frame
  readonly #framed = new WeakMap<Buffer, Buffer>()

  constructor(frame: Frame) {
    this.#frame = frame
  }

  /** Returns the buffer with its frame. */
  framed(bytes: Buffer): Buffer {
    const known = this.#framed.get(bytes)
    if (known !== undefined) return known
    const frame = this.#frame
    const framed = frame(bytes)
    this.#framed.set(bytes, framed)
    return framed
  }
}
