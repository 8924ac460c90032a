import { maskTarget, pushStream, type PushRequest, type PushTarget, type Subscriber } from 'sluice/sdk'
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
    push: (request) =>
      pushStream(ctx.streams, request, (subscriber, signal) => open(ctx, connections, { request, subscriber, signal })),
  })
}

type Push = { readonly request: PushRequest; readonly subscriber: Subscriber; readonly signal: AbortSignal }

async function open(ctx: SrtContext, connections: Connections, push: Push): Promise<PushTarget> {
  const { request, subscriber, signal } = push
  checkTracks(subscriber)
  const link = await Link.open({ ctx, connections, request, signal, receives: false })
  const { connection, opened, peer: client, mode, closed } = link
  return {
    send() {
      const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
      const { negotiated, keys } = opened
      const encrypted = keys !== undefined
      connections.follow({ direction: 'play', mode, encrypted, member: subscriber, client, negotiated, connection })
      sendStream(subscriber, connection, log)
      log.info({ ip: client.ip, encrypted, latencyMs: negotiated.sendLatencyMs }, 'push')
    },
    closed,
    // A target of a stream that is over should get all of it.
    close: (reason) => (isOrderly(reason) ? link.end(request.signal) : link.close()),
  }
}
