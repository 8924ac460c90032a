import type { CloseReason } from './close-reason.ts'
import type { PushRequest } from './push.ts'
import type { StreamManager } from './stream-manager.ts'
import type { Subscriber } from './subscriber.ts'
import { untilAborted } from './until-aborted.ts'

/** A target that has agreed to take a stream. */
export type PushTarget = {
  /** Begins to send the stream, by `attach` or `read` of the subscriber. Called once; an error ends the push. */
  readonly send: () => void
  /**
   * Resolves to the reason of the connection's end, whichever side ended it: `closed by the peer` becomes the error
   * `the connection has ended: closed by the peer`. Rejects with an error that the push rejects with as it is. Neither holds
   * anything secret.
   */
  readonly closed: Promise<string>
  /**
   * Ends the session with the target after any end of the push, and resolves when nothing is left of the connection. Called once.
   * @param reason the reason of the subscriber's end; undefined where the target ended the push, or its signal did
   */
  readonly close: (reason: CloseReason | undefined) => void | Promise<void>
}

/**
 * Sends a stream to a target for a push, as long as both last, and returns the reason of the subscriber's end: the whole of
 * {@link PushService.push}. Both the subscriber and the target are closed when the promise settles.
 *
 * ```ts
 * push: (request) =>
 *   pushStream(ctx.streams, request, async (subscriber, signal) => {
 *     const { socket, closed } = await connectTo(request, subscriber.tracks, signal)
 *     return {
 *       send: () => subscriber.attach(FLV_FORMAT, socketSink(socket)),
 *       closed,
 *       close: () => void socket.end(),
 *     }
 *   })
 * ```
 * @param open connects, and resolves when the target has agreed; it closes its own connection where it rejects. Its signal
 *   aborts when the push is no longer wanted while it opens; once the target is open, only the request's own signal aborts it
 * @throws as {@link PushService.push}: the errors of `open` or `send`, or `the connection has ended: …`
 */
export async function pushStream(
  streams: Pick<StreamManager, 'subscribe'>,
  { session, signal, begun }: Pick<PushRequest, 'session' | 'signal' | 'begun'>,
  open: (subscriber: Subscriber, signal: AbortSignal) => Promise<PushTarget>,
): Promise<CloseReason> {
  const subscriber = await streams.subscribe(session)
  const opening = new AbortController()
  const ended = Promise.withResolvers<CloseReason>()
  let closed: CloseReason | undefined
  let target: PushTarget | undefined
  subscriber.onClose((reason) => {
    closed = reason
    ended.resolve(reason)
    if (target === undefined) opening.abort()
  })
  try {
    target = await open(subscriber, AbortSignal.any([signal, opening.signal]))
    signal.throwIfAborted()
    if (closed !== undefined) return closed
    target.send()
    begun(subscriber)
    return await Promise.race([ended.promise, endOf(target), untilAborted(signal)])
  } catch (error) {
    if (signal.aborted) throw new Error('the push was stopped', { cause: error })
    if (closed === undefined) throw error
    return closed
  } finally {
    await target?.close(closed)
    subscriber.close('the push has ended')
  }
}

async function endOf({ closed }: PushTarget): Promise<never> {
  throw new Error(`the connection has ended: ${await closed}`)
}
