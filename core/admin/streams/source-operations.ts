import { StreamNotFound, StreamPath, Type, Unsupported, type OperationRegistry, type SourceControl } from 'sluice/sdk'
import type { StreamRegistry } from '../../stream/registry.ts'

const ONE_STREAM = Type.Object({ streamPath: StreamPath() })
const REACH = { stream: 'streamPath' } as const

/** Commands to the source of a stream (api.md 3.1). All of them but pause and resume fail for an unknown stream. */
export function addSourceOperations(operations: OperationRegistry, streams: StreamRegistry): void {
  /** Returns the control of the stream's source; undefined where there is none. */
  const sourceOf = (streamPath: string): SourceControl | undefined => {
    const publisher = streams.get(streamPath)?.publisher
    return publisher && (publisher.control ?? {})
  }

  operations.add({
    method: 'POST',
    path: '/api/stream/pause/{streamPath}',
    summary: 'Pause stream',
    params: ONE_STREAM,
    reach: REACH,
    async handle({ params: { streamPath } }) {
      const source = sourceOf(streamPath)
      if (source?.pause !== undefined) await source.pause()
      else if (source !== undefined) throw new Unsupported('this stream cannot be paused')
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/stream/resume/{streamPath}',
    summary: 'Resume stream',
    params: ONE_STREAM,
    reach: REACH,
    async handle({ params: { streamPath } }) {
      const source = sourceOf(streamPath)
      if (source?.resume !== undefined) await source.resume()
      else if (source !== undefined) throw new Unsupported('this stream cannot be paused')
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/stream/speed/{streamPath}',
    summary: 'Set playback speed',
    params: ONE_STREAM,
    body: Type.Object({ speed: Type.Number({ exclusiveMinimum: 0, description: '1 is the pace of the recording' }) }),
    reach: REACH,
    async handle({ params: { streamPath }, body: { speed } }) {
      const source = sourceOf(streamPath)
      if (source === undefined) throw new StreamNotFound()
      if (source.setSpeed === undefined) throw new Unsupported('this stream is sent at one speed')
      await source.setSpeed(speed)
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/stream/seek/{streamPath}',
    summary: 'Fast-forward stream',
    params: ONE_STREAM,
    body: Type.Object({
      timeStamp: Type.Number({
        minimum: 0,
        description: 'Seconds of the recording: since the Unix epoch where it has a date, else since its beginning',
      }),
    }),
    reach: REACH,
    async handle({ params: { streamPath }, body: { timeStamp } }) {
      const source = sourceOf(streamPath)
      if (source === undefined) throw new StreamNotFound()
      if (source.seek === undefined) throw new Unsupported('this stream cannot be sought in')
      await source.seek(timeStamp * 1000)
    },
  })
}
