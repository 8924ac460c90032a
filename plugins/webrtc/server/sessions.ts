import { StreamNotFound, type SessionInit, type Subscriber } from 'sluice/sdk'
import type { WebRtcContext } from '../plugin-context.ts'
import { acceptedCodecs, answerPlay } from '../sdp/play-answer.ts'
import { answerPublish } from '../sdp/publish-answer.ts'
import { parseDescription, withTransportOf } from '../sdp/remote-description.ts'
import type { PeerTransport } from '../transport/peer-transport.ts'
import { PeerSession } from './peer-session.ts'
import { createSessionList, type SessionList } from './session-list.ts'
import { checkBframes, playedMedia, publishedMedia } from './session-media.ts'
import { createSessionNames, randomSsrc } from './session-names.ts'
import type { MediaIngest, SessionParts } from './session-parts.ts'

/** Opens the sessions of one generation, each after the gates have let it in. */
export class Sessions {
  readonly list: SessionList
  readonly #ctx: WebRtcContext
  readonly #parts: SessionParts

  constructor(ctx: WebRtcContext, parts: SessionParts) {
    this.#ctx = ctx
    this.#parts = parts
    this.list = ctx.keep('sessions', createSessionList)
  }

  /**
   * Admits a publisher. Its offer is checked first, so that a malformed one does not replace another publisher.
   * @throws {SluiceError} 400 or 406 for the offer, and the errors of `streams.publish`
   */
  async publish(text: string, request: SessionInit): Promise<PeerSession> {
    const offer = parseDescription(text)
    const medias = answerPublish(offer)
    const bundled = withTransportOf(offer, medias[0]!.index)
    let ingest: MediaIngest | undefined
    const control = { requestKeyframe: ({ id }: { readonly id: number }) => ingest?.requestKeyframe(id) }
    const publisher = await this.#ctx.streams.publish(request, { control, connecting: true })
    const createMedia = (transport: PeerTransport) => {
      ingest = this.#parts.createIngest({
        sink: publisher,
        medias,
        sendRtcp: (packet) => transport.sendRtcp(packet),
        pliIntervalMs: this.#ctx.config.pli,
      })
      return publishedMedia(ingest, publisher)
    }
    return this.#open({
      action: 'publish',
      member: publisher,
      request,
      offer: bundled,
      medias,
      names: createSessionNames(),
      createMedia,
    })
  }

  /**
   * Admits a viewer, and waits for its stream.
   * @throws {SluiceError} 400 or 406 for the offer, 404 for a layer that the stream does not have, and the errors of `streams.subscribe`
   */
  async play(text: string, request: SessionInit, layer: string | undefined): Promise<PeerSession> {
    const offer = parseDescription(text)
    const { bframes } = this.#ctx.config
    const subscriber = await this.#ctx.streams.subscribe({ ...request, accepts: acceptedCodecs(offer) })
    try {
      checkLayer(subscriber, layer)
      if (bframes === 'reject') checkBframes(subscriber)
      const medias = answerPlay(offer, subscriber.tracks, randomSsrc, subscriber.silentTracks)
      const bundled = withTransportOf(offer, medias[0]!.index)
      const names = createSessionNames()
      const log = this.#ctx.log.child({ session: subscriber.id, stream: subscriber.streamPath })
      const createMedia = (transport: PeerTransport) =>
        playedMedia(
          this.#parts.createPlayout({ medias, transport, subscriber, bframes, layer, cname: names.cname, log }),
        )
      return await this.#open({
        action: 'play',
        member: subscriber,
        request,
        offer: bundled,
        medias,
        names,
        createMedia,
      })
    } catch (error) {
      subscriber.close('refused')
      throw error
    }
  }

  /** Ends the publishers of a path, as an operator has asked. @returns true when there was one */
  stopPublishers(streamPath: string): boolean {
    const publishers = [...this.list.running.values()].filter((session) => {
      const view = session.view()
      return view.action === 'publish' && view.streamPath === streamPath
    })
    for (const session of publishers) session.stop()
    return publishers.length > 0
  }

  #open({
    request,
    ...init
  }: Omit<Parameters<typeof PeerSession.open>[0], 'client' | 'parts' | 'list' | 'log'> & {
    readonly request: SessionInit
  }): Promise<PeerSession> {
    const { client } = request
    return PeerSession.open({ ...init, client, parts: this.#parts, list: this.list, log: this.#ctx.log })
  }
}

function checkLayer({ tracks }: Subscriber, layer: string | undefined): void {
  if (layer === undefined) return
  const names = tracks.flatMap((track) => (track.kind === 'video' ? [track.layer, track.label] : []))
  const known = [...new Set(names)].filter((name) => name !== undefined && name !== '')
  if (!known.includes(layer)) throw new StreamNotFound(`the stream's layers are: ${known.join(', ') || 'none'}`)
}
