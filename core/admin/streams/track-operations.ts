import type { FastifyBaseLogger } from 'fastify'
import {
  Bytes,
  StreamNotFound,
  StreamPath,
  StreamUnavailable,
  Type,
  Unsupported,
  type MediaTrack,
  type OperationRegistry,
} from 'sluice/sdk'
import { canCarryInAnnexB, MalformedError, serializeAnnexB } from 'sluice/sdk/media'
import type { StreamRegistry } from '../../stream/registry.ts'
import { TrackFrame } from './track-frames.ts'
import { keptUnits, publishedTrack, trackSnapshot, TrackSnapshot, type PublishedTrack } from './track-snapshot.ts'
import { TrackWatch } from './track-watch.ts'

/** The most clients that receive frames at a time: each costs a little for every unit. */
export const MAX_WATCHES = 100

const ONE_STREAM = Type.Object({ streamPath: StreamPath() })
const KINDS = [
  { kind: 'video', path: 'videotrack', oldAliases: ['/api/stream/snap/{streamPath}'] },
  { kind: 'audio', path: 'audiotrack', oldAliases: [] },
] as const

/** The kept frames of a stream's tracks, their frames as they come, and the newest keyframe (api.md 3.1, 3.2). */
export function addTrackOperations(
  operations: OperationRegistry,
  streams: StreamRegistry,
  log: FastifyBaseLogger,
): void {
  /** @throws {StreamNotFound} */
  const published = (streamPath: string, kind: MediaTrack['kind']): PublishedTrack => {
    const stream = streams.get(streamPath)
    if (stream === undefined) throw new StreamNotFound()
    const track = publishedTrack(stream, kind)
    if (track === undefined) throw new StreamNotFound('no track')
    return track
  }
  let watches = 0

  /** @throws {StreamNotFound}, {StreamUnavailable} */
  async function* frames(streamPath: string, kind: MediaTrack['kind'], signal: AbortSignal) {
    const track = published(streamPath, kind)
    if (watches >= MAX_WATCHES)
      throw new StreamUnavailable(`no more than ${MAX_WATCHES} clients are told frames at a time`)
    const watch = new TrackWatch(track)
    const close = () => watch.close()
    watches++
    signal.addEventListener('abort', close)
    try {
      for (let frame = await watch.next(); frame !== undefined; frame = await watch.next()) yield frame
    } finally {
      watches--
      signal.removeEventListener('abort', close)
      close()
      const { dropped } = watch
      if (dropped > 0) log.info({ stream: streamPath, dropped }, 'a client took its frames too slowly and missed some')
    }
  }

  for (const { kind, path, oldAliases } of KINDS) {
    operations.add({
      method: 'GET',
      path: `/api/${path}/snap/{streamPath}`,
      aliases: oldAliases,
      summary: `What is kept of the ${kind} track`,
      params: ONE_STREAM,
      answer: TrackSnapshot,
      reach: { stream: 'streamPath' },
      handle: ({ params: { streamPath } }) => trackSnapshot(published(streamPath, kind)),
    })

    operations.events({
      path: `/api/${path}/sse/{streamPath}`,
      summary: `The frames of the ${kind} track, as they come`,
      params: ONE_STREAM,
      event: TrackFrame,
      events: ({ params: { streamPath }, signal }) => frames(streamPath, kind, signal),
    })
  }

  operations.add({
    method: 'GET',
    path: '/api/stream/annexb/{streamPath}',
    summary: 'The newest keyframe as a byte stream of H.264 or H.265 (Annex B)',
    params: ONE_STREAM,
    answer: Bytes(),
    contentType: 'application/octet-stream',
    reach: { stream: 'streamPath' },
    handle: ({ params: { streamPath } }) => newestKeyframe(published(streamPath, 'video')),
  })
}

/**
 * @throws {Unsupported} for a codec without byte stream form
 * @throws {StreamUnavailable} when none is kept, or it can't be read
 */
function newestKeyframe(published: PublishedTrack): Buffer {
  const { track } = published
  if (!canCarryInAnnexB(track)) throw new Unsupported(`${track.codec} has no byte stream form; H.264 and H.265 have`)
  const newest = keptUnits(published).findLast(({ unit }) => unit.keyframe)
  if (newest === undefined) throw new StreamUnavailable('no keyframe has come yet; ask again')
  try {
    return serializeAnnexB(newest.unit)
  } catch (error) {
    if (error instanceof MalformedError) throw new StreamUnavailable('the keyframe is malformed', { cause: error })
    throw error
  }
}
