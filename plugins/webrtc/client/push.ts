import type { Logger } from 'pino'
import { maskTarget, untilAborted, type CloseReason, type PushRequest, type Subscriber } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import { SourceError } from 'sluice/sdk/http'
import type { WebRtcContext } from '../plugin-context.ts'
import { offerSending, SENT_CODECS } from '../sdp/client-offer.ts'
import { checkBframes, playedMedia, sessionDetails } from '../server/session-media.ts'
import { createSessionNames, randomSsrc } from '../server/session-names.ts'
import type { SessionParts } from '../server/session-parts.ts'
import { PeerConnection } from './peer-connection.ts'

/** Offers to push streams out by WHIP; the definition names `push:webrtc` in its `provides`. */
export function providePush(ctx: WebRtcContext, parts: SessionParts): void {
  ctx.services.provide('push:webrtc', {
    schemes: ['whip', 'whips'],
    push: (request) => push(ctx, parts, request),
  })
}

/** See `PushService.push`. */
async function push(ctx: WebRtcContext, parts: SessionParts, request: PushRequest): Promise<CloseReason> {
  const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
  const subscriber = await ctx.streams.subscribe({ ...request.session, accepts: SENT_CODECS })
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  let closed: CloseReason | undefined
  subscriber.onClose((reason) => {
    closed = reason
    stop.abort()
  })
  try {
    return await send({ ctx, parts, request, subscriber, signal, log })
  } catch (error) {
    if (closed === undefined || request.signal.aborted) throw error
    // The plugin itself has ended it, as the pictures are none any more that the target has agreed to: they may be the next time.
    if (closed.code === 'closed') throw new SourceError(closed.text, { cause: error })
    return closed
  } finally {
    subscriber.close('the push has ended')
  }
}

type Sending = {
  readonly ctx: WebRtcContext
  readonly parts: SessionParts
  readonly request: PushRequest
  readonly subscriber: Subscriber
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Sends a stream until the target or the signal ends that. */
async function send({ ctx, parts, request, subscriber, signal, log }: Sending): Promise<never> {
  const { bframes } = ctx.config
  if (bframes === 'reject') checkBframes(subscriber)
  const names = createSessionNames()
  const offer = offerSending(subscriber.tracks, randomSsrc)
  const connection = await PeerConnection.open({ parts, request, signal, offer, names })
  const { transport, medias } = connection
  try {
    const sent = medias.map(({ kind }) => kind)
    const leftOut = mainTracks(subscriber.tracks).filter(({ kind }) => !sent.includes(kind))
    if (leftOut.length > 0) log.warn({ codecs: leftOut.map(({ codec }) => codec) }, 'a track is left out')
    const { cname } = names
    const playout = parts.createPlayout({ medias, transport, subscriber, bframes, layer: undefined, cname, log })
    const media = playedMedia(playout)
    subscriber.details(() => sessionDetails(transport.status, media))
    connection.attach(media)
    request.begun(subscriber)
    log.info({ pair: transport.status.pair }, 'push')
    const { text } = await Promise.race([connection.closed, untilAborted(signal)])
    throw new SourceError(`the connection has ended: ${text}`)
  } finally {
    await connection.close('the push has ended')
  }
}
