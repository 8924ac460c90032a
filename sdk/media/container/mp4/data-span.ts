import type { PlacedFragment } from './joined-tracks.ts'

/** Bytes that follow one another in a source. */
export type DataSpan = { readonly offset: number; readonly sizeBytes: number }

/** Returns the places of the data of samples, in their order; adjacent runs are one span. */
export function dataSpansOf(fragments: readonly PlacedFragment[]): DataSpan[] {
  const spans: DataSpan[] = []
  for (const { runs } of fragments) {
    for (const { offset, samples } of runs) {
      const last = spans.at(-1)
      const sizeBytes = samples.reduce((sum, sample) => sum + sample.sizeBytes, 0)
      if (sizeBytes === 0) continue
      if (last !== undefined && last.offset + last.sizeBytes === offset) {
        spans[spans.length - 1] = { offset: last.offset, sizeBytes: last.sizeBytes + sizeBytes }
      } else spans.push({ offset, sizeBytes })
    }
  }
  return spans
}
