import type { SampleRun, TrackFragment } from 'sluice/sdk/media'

type RunSample = SampleRun['samples'][number]

/** The range of decoding times that are taken from a track, in its ticks: from the first up to the second, exclusive. */
export type CutWindow = { readonly fromDts: number; readonly toDts: number }

/** The part of a fragment within a window; the fragment itself when it is within it as a whole. */
export function cutFragment(fragment: TrackFragment, { fromDts, toDts }: CutWindow): TrackFragment {
  // A fragment without a time can't be compared with a window.
  if (fragment.baseDts === undefined) return fragment
  let dts = fragment.baseDts
  let firstDts: number | undefined
  let isWhole = true
  const runs = fragment.runs.map((run): SampleRun => {
    let { offset } = run
    const samples: RunSample[] = []
    for (const sample of run.samples) {
      if (dts >= fromDts && dts < toDts) {
        samples.push(sample)
        firstDts ??= dts
      } else isWhole = false
      if (samples.length === 0) offset += sample.sizeBytes
      dts += sample.durationTicks
    }
    return { offset, samples }
  })
  return isWhole ? fragment : { trackId: fragment.trackId, baseDts: firstDts ?? fragment.baseDts, runs }
}
