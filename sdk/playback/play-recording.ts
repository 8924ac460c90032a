import type { PullEnd, PullRequest } from '../stream/pull.ts'
import { publishSource } from '../stream/publish-source.ts'
import type { StreamManager } from '../stream/stream-manager.ts'
import { PacedPlayer } from './paced-player.ts'
import type { Recording } from './recording.ts'

/**
 * Publishes a recording for a pull and plays it until either side ends, at the pace of `publish.speed`; it can be paused,
 * sought in and played at another speed meanwhile.
 * @throws as {@link PullService.pull}
 */
export async function playRecording(
  streams: Pick<StreamManager, 'publish'>,
  request: PullRequest,
  recording: Recording,
): Promise<PullEnd> {
  const player = new PacedPlayer(recording, { loop: request.loop })
  const end = await publishSource(streams, request, { control: player }, (publisher) => {
    if (recording.metadata !== undefined) publisher.setMetadata(recording.metadata)
    return player.play(publisher)
  })
  if (end.by === 'source' || end.reason.code !== 'timeout' || !player.paused) return end
  // The timeout of a paused recording is no failure of the source, which would be tried again.
  return { by: 'server', reason: { ...end.reason, code: 'idle' } }
}
