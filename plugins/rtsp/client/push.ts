import type { Logger } from 'pino'
import { maskTarget, pushStream, type PushRequest, type PushTarget, type Subscriber } from 'sluice/sdk'
import { describeMedias } from '../media/description.ts'
import type { RtspFormats } from '../media/from-stream.ts'
import { offerOf } from '../media/offer.ts'
import { Outputs } from '../media/outputs.ts'
import { ReceiverReports } from '../media/receiver-reports.ts'
import type { RtspContext } from '../plugin-context.ts'
import { controlUrl } from '../wire/url.ts'
import { isTransportRefusal, RtspClientError } from './client-error.ts'
import { ClientSession } from './client-session.ts'
import { RtspClient } from './rtsp-client.ts'
import { RTSP, TargetUrl, type TransportKind } from './target-url.ts'

const controlOf = (place: number) => `trackID=${place}`

type RtspPushOptions = {
  readonly ctx: RtspContext
  readonly formats: RtspFormats
  readonly log: Logger
  readonly request: PushRequest
  readonly subscriber: Subscriber
  readonly signal: AbortSignal
}

/** Offers to push streams out by RTSP; the definition names `push:rtsp` in its `provides`. */
export function providePush(ctx: RtspContext, formats: RtspFormats): void {
  ctx.services.provide('push:rtsp', {
    schemes: Object.keys(RTSP.schemes),
    headerless: true,
    push(request) {
      const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
      return pushStream(ctx.streams, request, (subscriber, signal) => {
        return new RtspPush({ ctx, formats, log, request, subscriber, signal }).open()
      })
    },
  })
}

/** Pushes one stream to another server. */
class RtspPush {
  readonly #options: RtspPushOptions
  readonly #outputs = new Outputs()
  readonly #reports = new ReceiverReports()
  /** The RTCP BYE of all medias that are sent; undefined before the first is. */
  #goodbye: Buffer | undefined

  constructor(options: RtspPushOptions) {
    this.#options = options
  }

  /**
   * Opens the target by the first transport that it accepts.
   * @throws {RtspClientError} when it can't be reached or refuses
   */
  async open(): Promise<PushTarget> {
    const { ctx, request } = this.#options
    const url = new TargetUrl(request.url)
    let failure: unknown
    for (const kind of url.kinds(ctx.config.transport, request.dial)) {
      try {
        return await this.#openBy(url, kind)
      } catch (error) {
        failure = error
        if (!isTransportRefusal(error)) break
      }
    }
    this.#outputs.close()
    throw failure
  }

  async #openBy(url: TargetUrl, kind: TransportKind): Promise<PushTarget> {
    const { ctx, request, subscriber, signal } = this.#options
    const { dial } = request
    const { verifycertificate: verifyCertificate } = ctx.config
    const medias = offerOf(subscriber.tracks)
    if (medias.length === 0) throw new RtspClientError("RTP can carry none of the stream's tracks")
    const client = await RtspClient.connect({ url, dial, verifyCertificate, signal })
    const { uri } = client
    const session = new ClientSession({
      client,
      url: uri,
      kind,
      mode: 'record',
      net: ctx.net,
      ports: ctx.config.udpport,
    })
    try {
      await client.learnMethods()
      const description = describeMedias({
        streamPath: subscriber.streamPath,
        medias,
        ip: client.localIp,
        control: '*',
        controlOf,
      })
      await client.request('ANNOUNCE', uri, { 'Content-Type': 'application/sdp' }, { body: description })
      for (const [place, media] of medias.entries()) {
        const transport = await session.setup(controlUrl(uri, controlOf(place)), {
          rtp: () => undefined,
          rtcp: (packet) => this.#reports.take(packet),
        })
        this.#outputs.set(place, { media, transport })
      }
      await session.request('RECORD', { Range: 'npt=0.000-' })
      return {
        send: () => this.#send(client, kind),
        closed: client.closed,
        close: (reason) => this.#leave(client, reason !== undefined),
      }
    } catch (error) {
      client.close()
      // The target frees the path only when it has noticed the end.
      if (isTransportRefusal(error)) await client.ended
      throw error
    }
  }

  #send(client: RtspClient, kind: TransportKind): void {
    const { ctx, formats, log, subscriber } = this.#options
    const { muxing, goodbye } = formats.get(this.#outputs.medias)
    this.#goodbye = goodbye
    subscriber.details(() => ({ transport: kind, ...this.#reports.details }))
    subscriber.attach(muxing, this.#outputs.createSink(client.stream, ctx))
    log.info({ transport: kind }, 'push')
  }

  /** Closes the connection; when the stream is over, after the target has got the rest of it. */
  async #leave(client: RtspClient, isOver: boolean): Promise<void> {
    if (isOver) await new Promise<void>((resolve) => this.#outputs.end(this.#goodbye, resolve))
    this.#outputs.close()
    client.close()
  }
}
