import { readFragment } from '../../sdk/media/container/fmp4/fixtures/boxes.ts'

/** What a fragment has of one track: decoding times in its ticks, and how many samples. */
export type FragmentSpan = { readonly startDts: number; readonly endDts: number; readonly samples: number }

/** Of fragments that follow each other, those that have something of a track. */
export function spansOf(fragments: Buffer, trackId: number): FragmentSpan[] {
  const runs = readFragment(fragments).runs.filter((run) => run.trackId === trackId)
  return runs.map(({ baseDts, samples }) => {
    const endDts = samples.reduce((sum, { duration }) => sum + duration, baseDts)
    return { startDts: baseDts, endDts, samples: samples.length }
  })
}
