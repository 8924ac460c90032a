import type { Logger } from 'pino'
import { SluiceError, StreamNotFound, Unsupported, type SessionInit, type TrackInit, type UnitSink } from 'sluice/sdk'
import { createRtpDepacketizer, parseRtpPacket, tryParse, type RtpFormat } from 'sluice/sdk/media'
import { RtspIngest } from '../media/to-stream.ts'
import type { RtspContext } from '../plugin-context.ts'
import type { PacketHandlers } from '../transport/media-transport.ts'

/** The feature that a client requires in order to be offered a back channel (ONVIF Streaming Specification 5.3.1). */
export const BACK_CHANNEL_FEATURE = 'www.onvif.org/ver20/backchannel'

/** The formats in which players may send: those that nearly every camera takes. */
export const BACK_CHANNEL_FORMATS: readonly RtpFormat[] = [
  { payloadType: 0, encodingName: 'PCMU', clockRate: 8000, channels: 1, parameters: new Map() },
  { payloadType: 8, encodingName: 'PCMA', clockRate: 8000, channels: 1, parameters: new Map() },
]

/** The receiver of a player's sound: the source or, when that takes none, a stream of its own. */
type Listener = UnitSink & { onClose(listener: () => void): void; close(): void }

export type BackChannelOptions = {
  readonly ctx: RtspContext
  readonly log: Logger
  /** The player's session: the path that it plays, and its query. */
  readonly session: SessionInit
}

/** The sound that a player sends upstream. It is opened by its first packet. */
export class BackChannel implements PacketHandlers {
  readonly #options: BackChannelOptions
  #isOpening = false
  #listener: Listener | undefined
  #ingest: RtspIngest | undefined
  #isClosed = false

  constructor(options: BackChannelOptions) {
    this.#options = options
  }

  rtp(packet: Buffer): void {
    if (this.#ingest !== undefined) return this.#ingest.rtp(0, packet)
    const format = this.#isOpening || this.#isClosed ? undefined : formatOf(packet)
    if (format !== undefined) void this.#open(format)
  }

  rtcp(packet: Buffer): void {
    this.#ingest?.rtcp(0, packet)
  }

  close(): void {
    this.#isClosed = true
    this.#ingest?.close()
    this.#listener?.close()
  }

  /** Opens the listener. Packets that come meanwhile are dropped, as they would be late. A refusal is final. */
  async #open(format: RtpFormat): Promise<void> {
    this.#isOpening = true
    const { ctx, log } = this.#options
    try {
      const listener = await this.#findListener(format)
      this.#listener = listener
      listener.onClose(() => this.#ended())
      if (this.#isClosed) return listener.close()
      this.#ingest = new RtspIngest(listener, [{ format, isDatagram: false, sendRtcp: () => undefined }], ctx)
      log.info({ codec: format.encodingName }, 'the player talks')
    } catch (error) {
      if (!(error instanceof SluiceError)) return log.error({ err: error }, 'the back channel failed')
      log.info({ reason: error.message }, 'the player is not listened to')
    }
  }

  /** The player has passed the gates for the stream, and the operator has opened back channels. */
  async #findListener(format: RtpFormat): Promise<Listener> {
    const { ctx, session } = this.#options
    try {
      return await ctx.streams.talk({ ...session, type: 'api' }, [trackOf(format)])
    } catch (error) {
      if (!(error instanceof Unsupported) && !(error instanceof StreamNotFound)) throw error
      return ctx.streams.publish({ ...session, streamPath: `${session.streamPath}/backchannel` })
    }
  }

  #ended(): void {
    this.#ingest?.close()
    this.#ingest = undefined
  }
}

function formatOf(packet: Buffer): RtpFormat | undefined {
  const payloadType = tryParse(parseRtpPacket, packet)?.payloadType
  return BACK_CHANNEL_FORMATS.find((format) => format.payloadType === payloadType)
}

function trackOf(format: RtpFormat): TrackInit {
  const { codec, config } = createRtpDepacketizer(format)
  if ((codec !== 'pcmu' && codec !== 'pcma') || config === undefined || !('sampleRate' in config)) {
    throw new TypeError(`${format.encodingName} is no format of back channels`)
  }
  return { kind: 'audio', codec, timescale: format.clockRate, config }
}
