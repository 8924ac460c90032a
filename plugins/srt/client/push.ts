import type { Logger } from 'pino'
import { maskTarget, untilAborted, type CloseReason, type PushRequest, type Subscriber } from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import type { Connections } from '../connections.ts'
import { checkTracks, isOrderly, sendStream } from '../from-stream.ts'
import type { SrtContext } from '../plugin-context.ts'
import { Link } from './link.ts'
import { SCHEMES } from './target-url.ts'

/** Offers to push streams out by SRT; the definition names `push:srt` in its `provides`. */
export function providePush(ctx: SrtContext, connections: Connections): void {
  ctx.services.provide('push:srt', {
    schemes: SCHEMES,
    headerless: true,
    push: (request) => push(ctx, connections, request),
  })
}

/** See `PushService.push`. */
async function push(ctx: SrtContext, connections: Connections, request: PushRequest): Promise<CloseReason> {
  const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
  const subscriber = await ctx.streams.subscribe(request.session)
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  let closed: CloseReason | undefined
  subscriber.onClose((reason) => {
    closed = reason
    stop.abort()
  })
  try {
    return await send({ ctx, connections, request, subscriber, signal, log, isOver: () => isOrderly(closed) })
  } catch (error) {
    if (closed === undefined || request.signal.aborted) throw error
    return closed
  } finally {
    subscriber.close('the push has ended')
  }
}

type Sending = {
  readonly ctx: SrtContext
  readonly connections: Connections
  readonly request: PushRequest
  readonly subscriber: Subscriber
  readonly signal: AbortSignal
  readonly log: Logger
  /** Whether the stream has come to an end, and the target should get all of it. */
  readonly isOver: () => boolean
}

/** Sends a stream until the target or the signal ends that. */
async function send({ ctx, connections, request, subscriber, signal, log, isOver }: Sending): Promise<never> {
  checkTracks(subscriber)
  const link = await Link.open({ ctx, connections, request, signal, receives: false })
  try {
    const { connection, opened, peer: client, mode } = link
    const { negotiated, keys } = opened
    const encrypted = keys !== undefined
    connections.follow({ direction: 'play', mode, encrypted, member: subscriber, client, negotiated, connection })
    sendStream(subscriber, connection, log)
    request.begun(subscriber)
    log.info({ ip: client.ip, encrypted, latencyMs: negotiated.sendLatencyMs }, 'push')
    const why = await Promise.race([link.closed, untilAborted(signal)])
    throw new SourceError(`the connection has ended: ${why}`)
  } finally {
    await (isOver() ? link.end(request.signal) : link.close())
  }
}
