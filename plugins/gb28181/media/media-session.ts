import { setTimeout as delay } from 'node:timers/promises'
import type { UnitSink } from 'sluice/sdk'
import { tryParse } from 'sluice/sdk/media'
import { DeviceSilent } from '../errors.ts'
import { parseMediaStatus } from '../manscdp/media-status.ts'
import { parseManscdp } from '../manscdp/message.ts'
import type { GbContext } from '../plugin-context.ts'
import { livePath } from '../registry/channel.ts'
import type { Device, StreamMode } from '../registry/device.ts'
import type { GbDescription, GbSessionName } from '../sdp/session-description.ts'
import type { SipContent } from '../sip/user-agent.ts'
import type { SipResponse } from '../sip/message.ts'
import { Call, OfferRefused } from '../signalling/call.ts'
import type { DeviceRequests } from '../signalling/device-requests.ts'
import type { SipAgent } from '../signalling/sip-agent.ts'
import { Inlet } from './inlet.ts'
import type { MediaPort } from './media-port.ts'
import type { OnePort } from './one-port.ts'
import { activePort, openPassivePort, openUdpPort } from './session-ports.ts'
import type { SsrcPool } from './ssrc-pool.ts'

const PS_FORMAT = { payloadType: 96, encoding: 'PS', clockRate: 90_000 } as const
/** Types of recordings in `u=`: all of them. */
const ALL_RECORDINGS = 0

/** The parts of the plugin that sessions need. */
export type MediaTools = {
  readonly ctx: GbContext
  readonly agent: SipAgent
  readonly requests: DeviceRequests
  readonly ssrcs: SsrcPool
  /** The one port of all media; undefined where each session has its own. */
  readonly onePort: OnePort | undefined
  /** Functions that are called when a device tells that a recording is over, by channel. */
  readonly fileEnds: Map<string, Set<() => void>>
}

/** The media that a session fetches. */
export type MediaWish = {
  readonly device: Device
  readonly channelId: string
  readonly name: GbSessionName
  /** Unix seconds, of recordings. */
  readonly startSeconds?: number
  readonly stopSeconds?: number
  /** So many times as fast, of a download. */
  readonly downloadSpeed?: number
  /** 0 is the main stream of live media. */
  readonly streamNumber?: number
}

/** Media that comes from a device: its port, its SSRC and its call, which go back whichever way it ends. */
export class MediaSession {
  readonly mode: StreamMode
  readonly ssrc: string
  readonly answer: GbDescription
  readonly inlet: Inlet
  readonly #call: Call
  readonly #release: () => void
  readonly #ended: Promise<string>

  private constructor(opened: Opened) {
    this.mode = opened.mode
    this.ssrc = opened.ssrc
    this.answer = opened.call.answer
    this.inlet = opened.inlet
    this.#call = opened.call
    this.#release = opened.release
    const disconnected = opened.inlet.disconnected.then(() => 'the connection of its media has ended')
    this.#ended = Promise.race([opened.call.ended, opened.fileEnd, disconnected])
  }

  /** Resolves when the device has ended it, or the connection of its media has ended: with the reason. */
  get ended(): Promise<string> {
    return this.#ended
  }

  /**
   * Calls a device, and waits for its first media.
   * @param step tells what is done next
   * @throws {DeviceOffline} {DeviceSilent} {DeviceRefused}
   * @throws {StreamUnavailable} when no port or no SSRC is free
   * @throws the signal's reason
   */
  static async open(
    tools: MediaTools,
    wish: MediaWish,
    signal: AbortSignal,
    step: (name: string, description?: string) => void,
  ): Promise<MediaSession> {
    const mode = firstMode(wish.device)
    try {
      return new MediaSession(await open(tools, wish, mode, signal, step))
    } catch (error) {
      if (!(error instanceof OfferRefused) || mode === 'UDP') throw error
      return new MediaSession(await open(tools, wish, 'UDP', signal, step))
    }
  }

  /**
   * Passes the media that has come, and all later, to a sink.
   * @param onComplete called once, when all tracks are there that the device says it sends
   */
  deliver(sink: UnitSink, onComplete: () => void): void {
    this.inlet.deliver(sink, onComplete)
  }

  /** Sends a request within the call; undefined when no answer came. */
  info(content: SipContent): Promise<SipResponse | undefined> {
    return this.#call.info(content)
  }

  /** Ends it. Idempotent. */
  close(): void {
    this.#call.end()
    this.#release()
  }
}

type Opened = {
  readonly mode: StreamMode
  readonly ssrc: string
  readonly inlet: Inlet
  readonly call: Call
  readonly fileEnd: Promise<string>
  readonly release: () => void
}

/** The way of media that a device is asked for first: devices of 2011 know UDP alone. */
function firstMode({ streamMode, version }: Device): StreamMode {
  return version.startsWith('1.') ? 'UDP' : streamMode
}

async function open(
  tools: MediaTools,
  wish: MediaWish,
  mode: StreamMode,
  signal: AbortSignal,
  step: (name: string, description?: string) => void,
): Promise<Opened> {
  const { ctx, requests, ssrcs } = tools
  const { device, channelId } = wish
  const flow = requests.flowTo(device)
  const ssrc = ssrcs.take(wish.name === 'Play' ? 'live' : 'history')
  const isDatagram = mode === 'UDP'
  const hosts = new Set([flow.remote.host])
  const inlet = new Inlet({ ssrc: Number(ssrc), isStrict: device.ssrcCheck, hosts, isDatagram, timers: ctx })
  const fileEnd = Promise.withResolvers<string>()
  const isRecording = wish.name !== 'Play'
  const endFile = () => fileEnd.resolve('the recording is over')
  const path = livePath({ deviceId: device.id, channelId })
  const forgetFileEnd = isRecording ? onFileEnd(tools.fileEnds, path, endFile) : () => {}
  let port: MediaPort | undefined
  let call: Call | undefined
  const release = () => {
    forgetFileEnd()
    inlet.close()
    port?.close()
    ssrcs.release(ssrc)
  }
  try {
    port = await openPort(tools, mode, Number(ssrc), inlet, signal)
    step('invite', `asks the device for its media by ${mode}`)
    const offer = offerOf(wish, ssrc, port, device.mediaIp || ctx.config.mediaip || flow.local.host, ctx.config.serial)
    call = await Call.place({
      ...tools,
      device,
      channelId,
      subject: `${channelId}:${ssrc},${ctx.config.serial}:0`,
      offer,
      timeoutMs: ctx.config.invitetimeout,
      signal,
      onMessage({ body }) {
        if (isRecording && isFileFinished(body)) endFile()
      },
    })
    const { answer } = call
    inlet.answered(answer.address, answer.ssrc === undefined ? undefined : Number(answer.ssrc))
    step('media', 'waits for the first packet')
    await port.answered({ host: answer.address, port: answer.media.port })
    await firstMedia(inlet, call, device.id, ctx.config.invitetimeout, signal)
    return { mode, ssrc, inlet, call, fileEnd: fileEnd.promise, release }
  } catch (error) {
    call?.end()
    release()
    throw error
  }
}

function openPort(
  { ctx, onePort }: MediaTools,
  mode: StreamMode,
  ssrc: number,
  inlet: Inlet,
  signal: AbortSignal,
): Promise<MediaPort> {
  const { net, config } = ctx
  if (mode === 'TCP-ACTIVE') return Promise.resolve(activePort(net, inlet, signal))
  if (onePort !== undefined) return Promise.resolve(onePort.open(ssrc, mode === 'TCP-PASSIVE', inlet))
  return mode === 'UDP' ? openUdpPort(net, config.mediaport, inlet) : openPassivePort(net, config.mediaport, inlet)
}

function offerOf(wish: MediaWish, ssrc: string, port: MediaPort, address: string, serial: string): GbDescription {
  const { name, channelId, startSeconds = 0, stopSeconds = 0, streamNumber, downloadSpeed } = wish
  return {
    owner: serial,
    name,
    address,
    uri: name === 'Play' ? undefined : `${channelId}:${ALL_RECORDINGS}`,
    startSeconds,
    stopSeconds,
    media: {
      kind: 'video',
      port: port.port,
      isTcp: port.setup !== undefined,
      formats: [PS_FORMAT],
      direction: 'recvonly',
      setup: port.setup,
    },
    // Devices of before 2022 don't know it, and send their main stream.
    streamNumber: streamNumber === 0 ? undefined : streamNumber,
    downloadSpeed,
    fileSizeBytes: undefined,
    ssrc,
    codecs: undefined,
  }
}

async function firstMedia(inlet: Inlet, call: Call, id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const late = delay(timeoutMs, undefined, { signal: AbortSignal.any([signal, over.signal]), ref: false }).then(() => {
    throw new DeviceSilent(id, 'no media came')
  })
  const gone = Promise.race([call.ended, inlet.disconnected.then(() => 'the connection of its media has ended')])
  try {
    await Promise.race([inlet.arrived, late, gone.then((reason) => Promise.reject(new DeviceSilent(id, reason)))])
  } finally {
    over.abort()
    late.catch(() => {})
  }
}

/** True for the notice that a recording has been sent to its end. */
function isFileFinished(body: Buffer): boolean {
  const notice = tryParse((bytes) => parseManscdp(bytes), body)
  return notice !== undefined && parseMediaStatus(notice).isFileFinished
}

function onFileEnd(fileEnds: MediaTools['fileEnds'], path: string, listener: () => void): () => void {
  const listeners = fileEnds.get(path) ?? new Set()
  fileEnds.set(path, listeners.add(listener))
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) fileEnds.delete(path)
  }
}
