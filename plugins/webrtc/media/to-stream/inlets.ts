import type { UnitSink } from 'sluice/sdk'
import type { RtpClock } from 'sluice/sdk/media'
import type { NegotiatedMedia } from '../../sdp/negotiated-media.ts'
import { Inlet } from './inlet.ts'
import { Simulcast } from './simulcast.ts'
import { MediaTrackSink, type TrackSink } from './track-sink.ts'

/** Streams that are received, layers of simulcast included: one report speaks of them all (RFC 3550 6.4.2). */
const MAX_INLETS = 16

type InletsInit = {
  readonly sink: UnitSink
  readonly medias: readonly NegotiatedMedia[]
  readonly pliIntervalMs: number
}

type Inlets = { readonly inlets: readonly Inlet[]; readonly simulcasts: readonly Simulcast[] }

/** Makes an inlet for each media that is received, or for each of its layers: as many as there may be. */
export function createInlets(
  { sink, medias, pliIntervalMs }: InletsInit,
  clock: RtpClock,
  nowMs: () => number,
): Inlets {
  const inlets: Inlet[] = []
  const simulcasts: Simulcast[] = []
  const kinds = new Set<string>()
  const add = (media: NegotiatedMedia, rid: string | undefined, trackSink: TrackSink): void => {
    if (inlets.length < MAX_INLETS) {
      inlets.push(new Inlet({ media, rid, sink: trackSink, clock, keyframeIntervalMs: pliIntervalMs }))
    }
  }
  for (const media of medias.filter(({ direction }) => direction === 'receive')) {
    if (inlets.length >= MAX_INLETS) break
    // The first media of a kind is the main one.
    const name = kinds.has(media.kind) ? media.mid : undefined
    kinds.add(media.kind)
    if (media.rids.length === 0) {
      add(media, undefined, new MediaTrackSink(sink, name))
      continue
    }
    const needKeyframe = (rid: string) =>
      inlets.find((inlet) => inlet.media === media && inlet.rid === rid)?.keyframes.need()
    const simulcast = new Simulcast({ sink, rids: media.rids, name, nowMs, needKeyframe })
    simulcasts.push(simulcast)
    for (const layer of simulcast.layers) add(media, layer.rid, layer)
  }
  return { inlets, simulcasts }
}
