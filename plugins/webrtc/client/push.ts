import { maskTarget, pushStream, type PushRequest, type PushTarget, type Subscriber } from 'sluice/sdk'
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
    async push(request) {
      const session = { ...request.session, accepts: SENT_CODECS }
      const reason = await pushStream(ctx.streams, { ...request, session }, (subscriber, signal) => {
        return open(ctx, parts, { request, subscriber, signal })
      })
      // The plugin itself has ended the push, as the target has not agreed to the new format of the pictures: the next try offers that.
      if (reason.code === 'closed') throw new SourceError(reason.text)
      return reason
    },
  })
}

type Push = { readonly request: PushRequest; readonly subscriber: Subscriber; readonly signal: AbortSignal }

async function open(ctx: WebRtcContext, parts: SessionParts, push: Push): Promise<PushTarget> {
  const { request, subscriber, signal } = push
  const { bframes } = ctx.config
  if (bframes === 'reject') checkBframes(subscriber)
  const names = createSessionNames()
  const offer = offerSending(subscriber.tracks, randomSsrc)
  const connection = await PeerConnection.open({ parts, request, signal, offer, names })
  const { transport, medias } = connection
  return {
    send() {
      const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
      const sent = medias.map(({ kind }) => kind)
      const leftOut = mainTracks(subscriber.tracks).filter(({ kind }) => !sent.includes(kind))
      if (leftOut.length > 0) log.warn({ codecs: leftOut.map(({ codec }) => codec) }, 'a track is left out')
      const { cname } = names
      const playout = parts.createPlayout({ medias, transport, subscriber, bframes, layer: undefined, cname, log })
      const media = playedMedia(playout)
      subscriber.details(() => sessionDetails(transport.status, media))
      connection.attach(media)
      log.info({ pair: transport.status.pair }, 'push')
    },
    closed: connection.closed.then(({ text }) => text),
    close: () => connection.close('the push has ended'),
  }
}
