import { Int64, StreamNotFound, StreamPath, Type, Unsupported } from 'sluice/sdk'
import type { Platform } from '../platform.ts'
import type { RunningStream } from '../streams/running-streams.ts'
import type { AddOperation } from './requests.ts'

const ONE_STREAM = { streamPath: StreamPath() }
/** The largest time that is one in seconds, as Unix milliseconds are above it: the year 5138. */
const MAX_SECONDS = 99_999_999_999

/** Adds the operations that steer recordings which devices play (api.md 7). */
export function addPlaybackOperations(add: AddOperation, { running }: Pick<Platform, 'running'>): void {
  const common = { method: 'GET', access: 'admin' } as const

  add({
    ...common,
    path: 'api/playback/pause',
    summary: 'Playback pause',
    query: Type.Object(ONE_STREAM),
    handle: ({ query: { streamPath } }) => playbackOf(streamPath).pause(),
  })

  add({
    ...common,
    path: 'api/playback/resume',
    summary: 'Playback resume',
    query: Type.Object(ONE_STREAM),
    handle: ({ query: { streamPath } }) => playbackOf(streamPath).resume(),
  })

  add({
    ...common,
    path: 'api/playback/speed',
    summary: 'Playback speed',
    query: Type.Object({ ...ONE_STREAM, speed: Type.Number({ description: 'As 0.25, 0.5, 1, 2, 4' }) }),
    handle: ({ query: { streamPath, speed } }) => playbackOf(streamPath).setSpeed(speed),
  })

  add({
    ...common,
    path: 'api/playback/seek',
    summary: 'Playback from another time on',
    query: Type.Object({ ...ONE_STREAM, seekTime: Int64() }),
    handle: ({ query: { streamPath, seekTime } }) =>
      playbackOf(streamPath).seek(seekTime > MAX_SECONDS ? seekTime : seekTime * 1000),
  })

  /** @throws {StreamNotFound} {Unsupported} */
  function playbackOf(streamPath: string): NonNullable<RunningStream['playback']> {
    const stream = running.get(streamPath)
    if (stream === undefined) throw new StreamNotFound('no stream of a device has this path')
    if (stream.playback === undefined) throw new Unsupported('the stream is no recording that a device plays')
    return stream.playback
  }
}
