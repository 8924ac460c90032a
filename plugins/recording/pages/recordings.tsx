import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { RecordedStreams } from './list/recorded-streams.tsx'
import { StreamRecordings } from './stream/stream-recordings.tsx'

/** All recordings, and below `{type}/{streamPath}` those of a stream. */
export default function Recordings({ console, path }: PageProps<Paths>) {
  const [, type, streamPath] = /^([^/]+)\/(.+)$/su.exec(path) ?? []
  if (type === undefined || streamPath === undefined) return <RecordedStreams console={console} />
  return <StreamRecordings key={path} console={console} subject={{ type, streamPath }} />
}
