/** A frame as it is drawn. */
export type DrawnFrame = {
  readonly sequence: number
  readonly kind: 'key' | 'predicted' | 'bidirectional'
  /** Bytes. */
  readonly size: number
}

type KeptFrame = {
  readonly sequence: number
  readonly keyFrame: boolean
  readonly wrap: readonly { readonly timestamp: number; readonly size: number }[]
}

/**
 * Tells the kinds of frames in order of decoding: a frame that is shown before one that was decoded earlier refers both ways.
 */
export function framesOf(ring: readonly KeptFrame[]): DrawnFrame[] {
  let latestMs = -Infinity
  return ring.map(({ sequence, keyFrame, wrap }) => {
    const shownMs = wrap[0]?.timestamp ?? 0
    const isBidirectional = !keyFrame && shownMs < latestMs
    latestMs = keyFrame ? shownMs : Math.max(latestMs, shownMs)
    const size = wrap.reduce((sum, part) => sum + part.size, 0)
    return { sequence, kind: keyFrame ? 'key' : isBidirectional ? 'bidirectional' : 'predicted', size }
  })
}
