import type { Logger } from 'pino'
import { maskTarget, type CloseReason, type PushRequest, type Subscriber } from 'sluice/sdk'
import { describeMedias } from '../media/description.ts'
import type { RtspFormats } from '../media/from-stream.ts'
import { offerOf } from '../media/offer.ts'
import { Outputs } from '../media/outputs.ts'
import { ReceiverReports } from '../media/receiver-reports.ts'
import { StartSink } from '../media/start-sink.ts'
import type { RtspContext } from '../plugin-context.ts'
import { controlUrl } from '../wire/url.ts'
import { isTransportRefusal, RtspClientError } from './client-error.ts'
import { ClientSession } from './client-session.ts'
import { RtspClient } from './rtsp-client.ts'
import { SCHEMES, TargetUrl, type TransportKind } from './target-url.ts'

const controlOf = (place: number) => `trackID=${place}`

type RtspPushOptions = {
  readonly ctx: RtspContext
  readonly formats: RtspFormats
  readonly log: Logger
  readonly request: PushRequest
}

/** Offers to push streams out by RTSP; the definition names `push:rtsp` in its `provides`. */
export function providePush(ctx: RtspContext, formats: RtspFormats): void {
  ctx.services.provide('push:rtsp', {
    schemes: SCHEMES,
    headerless: true,
    push(request) {
      const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
      return new RtspPush({ ctx, formats, log, request }).run()
    },
  })
}

/** Pushes one stream to another server, from ANNOUNCE to the end of either. */
class RtspPush {
  readonly #options: RtspPushOptions
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #outputs = new Outputs()
  readonly #reports = new ReceiverReports()
  /** What ends the media that is sent. */
  #goodbye: Buffer | undefined

  constructor(options: RtspPushOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.request.signal, this.#stop.signal])
  }

  /** See `PushService.push`. */
  async run(): Promise<CloseReason> {
    const { ctx, request } = this.#options
    const { url, session, signal } = request
    const subscriber = await ctx.streams.subscribe(session)
    let closed: CloseReason | undefined
    subscriber.onClose((reason) => {
      closed = reason
      this.#outputs.end(this.#goodbye, () => this.#stop.abort())
    })
    try {
      const client = await this.#open(new TargetUrl(url), subscriber)
      throw new RtspClientError(`the connection has ended: ${await client.closed}`)
    } catch (error) {
      if (closed === undefined || signal.aborted) throw error
      return closed
    } finally {
      this.#stop.abort()
      this.#outputs.close()
      subscriber.close('the push has ended')
    }
  }

  /** Opens the target by the first way that it takes. */
  async #open(url: TargetUrl, subscriber: Subscriber): Promise<RtspClient> {
    const { ctx, request } = this.#options
    let failure: unknown
    for (const kind of url.kinds(ctx.config.transport, request.dial)) {
      try {
        return await this.#openBy(url, kind, subscriber)
      } catch (error) {
        if (!isTransportRefusal(error)) throw error
        failure = error
      }
    }
    throw failure
  }

  async #openBy(url: TargetUrl, kind: TransportKind, subscriber: Subscriber) {
    const { ctx, formats, log, request } = this.#options
    const { dial } = request
    const { verifycertificate: verifyCertificate } = ctx.config
    const medias = offerOf(subscriber.tracks)
    if (medias.length === 0) throw new RtspClientError("RTP can carry none of the stream's tracks")
    const client = await RtspClient.connect({ url, dial, verifyCertificate, signal: this.#signal })
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
      const sink = new StartSink(this.#outputs.createSink(client.stream, ctx))
      subscriber.details(() => ({ transport: kind, ...this.#reports.details }))
      await session.request('RECORD', { Range: 'npt=0.000-' })
      const { muxing, goodbye } = formats.get(this.#outputs.medias)
      this.#goodbye = goodbye
      subscriber.attach(muxing, sink)
      sink.release()
      request.begun(subscriber)
      log.info({ transport: kind }, 'push')
      return client
    } catch (error) {
      client.close()
      // The target has the path back only when it has taken note of the end.
      if (isTransportRefusal(error)) await client.ended
      throw error
    }
  }
}
