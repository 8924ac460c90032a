import { Type, type MediaTrack, type Static } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import type { Stream } from '../../stream/stream.ts'
import type { StreamPublisher } from '../../stream/stream-publisher.ts'
import { selectsTrack } from '../../stream/track-selection.ts'
import { readerView } from './stream-views.ts'
import { decodingMs, frameView, TrackFrame, type CountedUnit } from './track-frames.ts'

/** The most frames of a snapshot, which has the newest. */
const MAX_FRAMES = 1000
/** The most subscribers that a snapshot lists. */
const MAX_READERS = 1000

const MemoryGroup = Type.Object({
  size: Type.Integer({ description: 'Bytes' }),
  list: Type.Array(Type.Object({ s: Type.Integer(), e: Type.Integer() }), {
    description: 'Where its groups of pictures begin and end, in bytes',
  }),
})

/** `TrackSnapshot` of the API (api.md 3.3): the kept frames of a track, and the positions of its subscribers. */
export const TrackSnapshot = Type.Object({
  ring: Type.Array(TrackFrame, { description: 'The frames that are kept for late joiners, the newest last' }),
  ringDataSize: Type.Integer({ description: 'Bytes' }),
  reader: Type.Record(Type.String(), Type.Integer(), {
    description: 'The sequence of the frame that a subscriber was sent last, by its id',
  }),
  memory: Type.Array(MemoryGroup),
})
export type TrackSnapshot = Static<typeof TrackSnapshot>

/** The main track of a kind in a published stream. */
export type PublishedTrack = {
  readonly stream: Stream
  readonly publisher: StreamPublisher
  readonly track: MediaTrack
}

/** The main track of a kind; undefined where the stream has none. */
export function publishedTrack(stream: Stream, kind: MediaTrack['kind']): PublishedTrack | undefined {
  const { publisher } = stream
  const track = publisher && mainTracks(publisher.tracks).find((main) => main.kind === kind)
  return track && { stream, publisher, track }
}

/** The units of a track that are kept, with their numbers. */
export function keptUnits({ stream, publisher, track }: PublishedTrack): CountedUnit[] {
  const units = stream.fanOut.kept.flatMap(({ unit }) => (unit.track === track ? unit : []))
  const first = (publisher.meter(track)?.units ?? 0) - units.length + 1
  return units.map((unit, index) => ({ unit, sequence: first + index, writeMs: writeMsOf(stream, decodingMs(unit)) }))
}

/** The time of arrival, in Unix milliseconds, of a unit with this time of decoding, by the clock of the stream. */
export function writeMsOf({ clock }: Stream, timeMs: number): number {
  return Date.now() - (clock.nowMs - timeMs)
}

export function trackSnapshot(published: PublishedTrack): TrackSnapshot {
  const units = keptUnits(published).slice(-MAX_FRAMES)
  const { ranges, sizeBytes } = groupsOf(units)
  return {
    ring: units.map(frameView),
    ringDataSize: sizeBytes,
    reader: Object.fromEntries(readersOf(published).take(MAX_READERS)),
    memory: units.length === 0 ? [] : [{ size: sizeBytes, list: ranges }],
  }
}

function groupsOf(units: readonly CountedUnit[]) {
  const ranges: { s: number; e: number }[] = []
  let sizeBytes = 0
  for (const { unit } of units) {
    const startsGroup = unit.track.kind === 'video' && unit.keyframe
    if (startsGroup || ranges.length === 0) ranges.push({ s: sizeBytes, e: sizeBytes })
    sizeBytes += unit.sizeBytes
    ranges.at(-1)!.e = sizeBytes
  }
  return { ranges, sizeBytes }
}

function readersOf({ stream, publisher, track }: PublishedTrack): IteratorObject<[id: string, sequence: number]> {
  return stream.subscribers
    .values()
    .filter(({ waiting, selection }) => waiting !== undefined && selectsTrack(selection, track))
    .map((subscriber) => [String(subscriber.id), readerView(publisher, track, subscriber).sequence])
}
