import { maskUrl, publishSource, type PullEnd, type PullRequest } from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import type { WebRtcContext } from '../plugin-context.ts'
import { offerReceiving } from '../sdp/client-offer.ts'
import { publishedMedia, sessionDetails } from '../server/session-media.ts'
import { createSessionNames } from '../server/session-names.ts'
import type { MediaIngest, SessionParts } from '../server/session-parts.ts'
import { PeerConnection } from './peer-connection.ts'

/** Offers to pull streams by WHEP; the definition names `pull:webrtc` in its `provides`. */
export function providePull(ctx: WebRtcContext, parts: SessionParts): void {
  ctx.services.provide('pull:webrtc', {
    schemes: ['whep', 'wheps'],
    pull: (request) => pull(ctx, parts, request),
  })
}

/** See `PullService.pull`. */
async function pull(ctx: WebRtcContext, parts: SessionParts, request: PullRequest): Promise<PullEnd> {
  const log = ctx.log.child({ stream: request.session.streamPath, source: maskUrl(request.url) })
  const { signal } = request
  const offer = offerReceiving()
  const connection = await PeerConnection.open({ parts, request, signal, offer, names: createSessionNames() })
  const { transport, medias } = connection
  let ingest: MediaIngest | undefined
  const control = { requestKeyframe: ({ id }: { readonly id: number }) => ingest?.requestKeyframe(id) }
  try {
    return await publishSource(ctx.streams, request, { control }, async (publisher) => {
      const sendRtcp = (packet: Buffer) => transport.sendRtcp(packet)
      ingest = parts.createIngest({ sink: publisher, medias, sendRtcp, pliIntervalMs: ctx.config.pli })
      const media = publishedMedia(ingest, publisher)
      publisher.details(() => sessionDetails(transport.status, media))
      log.info({ pair: transport.status.pair }, 'play')
      connection.attach(media)
      const { text } = await connection.closed
      throw new SourceError(`the connection has ended: ${text}`)
    })
  } finally {
    await connection.close('the pull has ended')
  }
}
