import type { CloseReason } from './close-reason.ts'
import type { Publisher, PublishOptions } from './publisher.ts'
import type { PullEnd, PullRequest } from './pull.ts'
import type { StreamManager } from './stream-manager.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * Publishes a source for a pull as long as it plays, and returns which side ended it. The publisher is closed when the
 * promise settles.
 *
 * ```ts
 * return await publishSource(ctx.streams, request, { timestampBits: 33 }, (publisher) => source.play(publisher))
 * ```
 * @param more the protocol's own options, added to those of the request
 * @param play resolves when the source is over, and rejects when it fails. It is not waited for once the server has closed
 *   the publisher or the request's signal has aborted: the caller ends its connections then
 * @throws as {@link PullService.pull}
 */
export async function publishSource(
  streams: Pick<StreamManager, 'publish'>,
  { session, options, signal, step }: Pick<PullRequest, 'session' | 'options' | 'signal' | 'step'>,
  more: PublishOptions,
  play: (publisher: Publisher) => Promise<unknown>,
): Promise<PullEnd> {
  signal.throwIfAborted()
  step('publish')
  const publisher = await streams.publish(session, { ...options, ...more })
  let closed: CloseReason | undefined
  const stop = new AbortController()
  publisher.onClose((reason) => {
    closed = reason
    stop.abort()
  })
  try {
    signal.throwIfAborted()
    await Promise.race([play(publisher), untilAborted(AbortSignal.any([signal, stop.signal]))])
    signal.throwIfAborted()
    return closed === undefined ? { by: 'source' } : { by: 'server', reason: closed }
  } catch (error) {
    if (closed === undefined || signal.aborted) throw error
    return { by: 'server', reason: closed }
  } finally {
    publisher.close('the pull has ended')
  }
}
