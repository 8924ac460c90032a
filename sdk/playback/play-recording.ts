import type { CloseReason } from '../stream/close-reason.ts'
import type { PullEnd, PullRequest } from '../stream/pull.ts'
import type { StreamManager } from '../stream/stream-manager.ts'
import { PacedPlayer } from './paced-player.ts'
import type { Recording } from './recording.ts'

/**
 * Publishes a recording for a pull and plays it until either side ends, at the pace of `publish.speed`; it can be paused, sought in and
 * played at another speed meanwhile.
 * @throws as {@link PullService.pull}
 */
export async function playRecording(
  streams: Pick<StreamManager, 'publish'>,
  { session, options, loop, signal }: PullRequest,
  recording: Recording,
): Promise<PullEnd> {
  signal.throwIfAborted()
  const player = new PacedPlayer(recording, { loop })
  const publisher = await streams.publish(session, { ...options, control: player })
  if (recording.metadata !== undefined) publisher.setMetadata(recording.metadata)
  let closed: CloseReason | undefined
  publisher.onClose((reason) => (closed = reason))
  const stop = () => publisher.close('the pull was stopped')
  signal.addEventListener('abort', stop, { once: true })
  try {
    await player.play(publisher)
    signal.throwIfAborted()
    if (closed === undefined) return { by: 'source' }
    // That it stood still for too long is no failure of the source, which would be tried again.
    return { by: 'server', reason: player.paused ? { ...closed, code: 'idle' } : closed }
  } finally {
    signal.removeEventListener('abort', stop)
    publisher.close('the pull has ended')
  }
}
