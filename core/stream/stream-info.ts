import type { StreamInfo } from 'sluice/sdk'
import type { Stream } from './stream.ts'

/** A snapshot for plugins. */
export function streamInfo({ path, state, subscriberCount, tracks, publisher }: Stream): StreamInfo {
  return {
    path,
    state,
    subscriberCount,
    tracks,
    metadata: publisher?.metadata ?? {},
    startTime: publisher?.startTime ?? new Date(0),
    pluginName: publisher?.request.protocol ?? '',
    type: publisher?.request.type ?? 'server',
  }
}
