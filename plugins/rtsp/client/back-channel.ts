import { randomBytes } from 'node:crypto'
import { Unsupported, type AccessUnit, type Dialer, type Talk, type Track, type TrackInit } from 'sluice/sdk'
import {
  createRtpPacketizer,
  randomRtpStart,
  RtpSender,
  rtpFormatOfTrack,
  rtpFormatsOf,
  sdpAttribute,
  type RtpFormat,
  type RtpPacketizer,
} from 'sluice/sdk/media'
import { InterleavedFraming } from '../media/interleaved-framing.ts'
import type { RtspContext } from '../plugin-context.ts'
import { RtspClientError } from './client-error.ts'
import { ClientSession } from './client-session.ts'
import { DescribedUrls } from './described-urls.ts'
import { RtspClient } from './rtsp-client.ts'
import { parsedDescription } from './source-offer.ts'
import type { TargetUrl } from './target-url.ts'

/** The feature tag by which a client requires the back channel of a camera (ONVIF Streaming Specification 5.3). */
const BACK_CHANNEL = 'www.onvif.org/ver20/backchannel'
/** The most queued bytes: sound that a camera does not take in time is dropped rather than sent late. */
const MAX_QUEUE_BYTES = 64 * 1024
const MAX_PAYLOAD_BYTES = 1400
const NO_BACK_CHANNEL = 'the camera has no back channel'

export type TalkOptions = {
  readonly ctx: RtspContext
  readonly url: TargetUrl
  readonly dial: Dialer
  readonly tracks: readonly TrackInit[]
  readonly signal: AbortSignal
}

/**
 * Opens the back channel of a camera in a session of its own, so that the pull goes on undisturbed.
 * @throws {Unsupported} when the camera has no back channel, or none for the codecs of `tracks`
 * @throws {RtspClientError} when it fails otherwise
 */
export async function openTalk({ ctx, url, dial, tracks, signal }: TalkOptions): Promise<Talk> {
  const { verifycertificate: verifyCertificate, udpport: ports } = ctx.config
  const client = await RtspClient.connect({ url, dial, verifyCertificate, signal })
  try {
    await client.learnMethods()
    const { format, controlUrl, url } = await findLoudspeaker(client, tracks)
    const fields = { Require: BACK_CHANNEL }
    const session = new ClientSession({ client, url, kind: 'tcp', mode: 'play', net: ctx.net, ports, fields })
    const transport = await session.setup(controlUrl, { rtp: () => undefined, rtcp: () => undefined })
    await session.request('PLAY', { ...fields, Range: 'npt=0.000-' })
    return new CameraTalk(client, session, format, 'channel' in transport ? transport.channel : 0)
  } catch (error) {
    client.close()
    throw error
  }
}

/** A media of a camera that takes sound. */
type Loudspeaker = { readonly url: string; readonly controlUrl: string; readonly format: RtpFormat }

async function findLoudspeaker(client: RtspClient, tracks: readonly TrackInit[]): Promise<Loudspeaker> {
  const fields = { Accept: 'application/sdp', Require: BACK_CHANNEL }
  const { headers, body } = await client.request('DESCRIBE', client.uri, fields).catch((error: unknown) => {
    // Status 551: the server does not know the feature that the request requires.
    if (error instanceof RtspClientError && error.status === 551) throw new Unsupported(NO_BACK_CHANNEL)
    throw error
  })
  const description = parsedDescription(body)
  const urls = new DescribedUrls(headers, description, client.uri)
  const back = description.media.filter(
    (one) => one.type === 'audio' && sdpAttribute(one.attributes, 'sendonly') !== undefined,
  )
  if (back.length === 0) throw new Unsupported(NO_BACK_CHANNEL)
  for (const one of back) {
    const format = rtpFormatsOf(one).find((offered) => tracks.some((track) => isOf(track, offered)))
    if (format !== undefined) return { url: urls.whole, controlUrl: urls.ofMedia(one), format }
  }
  const taken = back.flatMap(rtpFormatsOf).map(({ encodingName, clockRate }) => `${encodingName}/${clockRate}`)
  throw new Unsupported(`the camera takes ${taken.join(', ')}, and nothing else`)
}

/** True when the packets of a track have the format that the camera offers. */
function isOf(init: TrackInit, offered: RtpFormat): boolean {
  const sent = rtpFormatOfTrack({ ...init, id: 0 }, offered.payloadType)
  return (
    sent?.encodingName === offered.encodingName &&
    sent.clockRate === offered.clockRate &&
    sent.channels === offered.channels
  )
}

/** Sends one track to a camera, in a format that the camera accepts. */
class CameraTalk implements Talk {
  readonly #client: RtspClient
  readonly #session: ClientSession
  readonly #format: RtpFormat
  readonly #sender: RtpSender
  readonly #framing: InterleavedFraming
  #tracks = 0
  /** The track that is sent. */
  #track: Track | undefined
  #packetizer: RtpPacketizer | undefined

  constructor(client: RtspClient, session: ClientSession, format: RtpFormat, channel: number) {
    this.#client = client
    this.#session = session
    this.#format = format
    this.#sender = new RtpSender({ format, ...randomRtpStart(randomBytes(10)) })
    this.#framing = new InterleavedFraming(channel)
  }

  addTrack(init: TrackInit): Track {
    const track = { ...init, id: this.#tracks++ }
    if (this.#track === undefined && isOf(init, this.#format)) this.#use(track)
    return track
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    const configured = { ...track, config }
    if (track.id === this.#track?.id) this.#use(configured)
    return configured
  }

  removeTrack(track: Track): void {
    if (track.id === this.#track?.id) this.#track = undefined
  }

  write(unit: AccessUnit): void {
    if (unit.track.id !== this.#track?.id || this.#client.stream.writableLength > MAX_QUEUE_BYTES) return
    const payloads = this.#packetizer?.packetize(unit) ?? []
    if (payloads.length === 0) return
    const timestamp = this.#sender.timestampOf(unit.pts, unit.track.timescale)
    this.#client.stream.write(this.#sender.serialize(payloads, timestamp, this.#framing))
  }

  /** Lost units are not replaced: the camera plays silence. */
  lost(): void {}

  onClose(listener: () => void): void {
    void this.#client.closed.then(() => listener())
  }

  close(): void {
    this.#session.close()
  }

  #use(track: Track): void {
    this.#track = track
    this.#packetizer = createRtpPacketizer(track, MAX_PAYLOAD_BYTES)
  }
}
