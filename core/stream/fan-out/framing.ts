import type { Sink } from 'sluice/sdk'

type Frame = NonNullable<Sink['frame']>

const framings = new WeakMap<Frame, Framing>()

/** The framing of all sinks that give this function; undefined for sinks that give none. */
export function framingOf(frame: Frame | undefined): Framing | undefined {
  if (frame === undefined) return undefined
  const known = framings.get(frame)
  if (known !== undefined) return known
  const framing = new Framing(frame)
  framings.set(frame, framing)
  return framing
}

/** How a transport frames what leaves in one write. Each buffer is framed once, for as long as somebody holds it. */
export class Framing {
  readonly #frame: Frame
  readonly #framed = new WeakMap<Buffer, Buffer>()

  constructor(frame: Frame) {
    this.#frame = frame
  }

  /** Returns the buffer as it leaves. */
  framed(bytes: Buffer): Buffer {
    const known = this.#framed.get(bytes)
    if (known !== undefined) return known
    const frame = this.#frame
    const framed = frame(bytes)
    this.#framed.set(bytes, framed)
    return framed
  }
}
