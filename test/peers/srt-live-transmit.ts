import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffprobeFrames, type FfmpegPlayOptions } from './ffmpeg-rtsp.ts'
import { freeUdpPort } from './free-port.ts'
import { keep } from './lifetime.ts'
import { PeerProcess, runPeer } from './process.ts'
import type { PeerFrame } from './rtsp.ts'
import { srtUrl, type SrtAddress } from './srt.ts'
import { unreadUdpBytes } from './udp-sockets.ts'
import { waitFor } from './wait-for.ts'
import { withoutAdts } from './without-adts.ts'

/** What it says when its connection is up, as a caller, a listener or in a rendezvous. */
const CONNECTED = /SRT (?:source|target) connected|Accepted SRT (?:source|target) connection/u
/** What it says when it is refused, after which it ends most of the time. */
const REFUSED = /REJECT reported/u
/** What a datagram of MPEG-TS holds: seven packets. */
const TS_PAYLOAD_BYTES = 1316
/** Most that it reads at once. */
const MAX_PAYLOAD_BYTES = 1456

/** One end of srt-live-transmit: an address of SRT, a UDP port of this machine, or standard input or output. */
export type RelayEnd = SrtAddress | { readonly udpPort: number } | 'console'

/** libsrt's own program, which relays from one end to the other, as a test sees it. It ends with the test at the latest. */
export class SrtLiveTransmit {
  readonly process: PeerProcess

  /** Starts it. It ends when its connection by SRT does, or could not be made. */
  constructor(from: RelayEnd, to: RelayEnd) {
    const options = ['-a:no', `-chunk:${MAX_PAYLOAD_BYTES}`]
    this.process = new PeerProcess('srt-live-transmit', [...options, uriOf(from, 'from'), uriOf(to, 'to')])
  }

  /** @throws {Error} with what it says, when it is refused or finds nobody */
  async connected(): Promise<void> {
    await this.process.waitForStderr(new RegExp(`${CONNECTED.source}|${REFUSED.source}`, 'u'))
    if (CONNECTED.test(this.process.stderr)) return
    await this.process.close()
    throw this.process.error('was refused')
  }
}

/** srt-live-transmit sending, by SRT, what ffmpeg sends to it by UDP: a file as it is, at the speed of the clock. */
export class LiveTransmitPublisher {
  /** Resolves when all has come to the other side. Rejects where that refuses it, or ends it. */
  readonly done: Promise<void>
  readonly relay: SrtLiveTransmit
  readonly #port: number

  private constructor(port: number, address: SrtAddress, file: string, datagramBytes: number) {
    this.#port = port
    this.relay = new SrtLiveTransmit({ udpPort: port }, address)
    this.done = this.#send(file, datagramBytes)
    this.done.catch(() => undefined)
  }

  /** @param datagramBytes of a payload of SRT; unless given, seven packets of MPEG-TS. Others may be cut anywhere. */
  static async start(
    file: string,
    address: SrtAddress,
    datagramBytes = TS_PAYLOAD_BYTES,
  ): Promise<LiveTransmitPublisher> {
    return new LiveTransmitPublisher(await freeUdpPort(), address, file, datagramBytes)
  }

  async #send(file: string, datagramBytes: number): Promise<void> {
    // It throws away what comes before.
    await this.relay.connected()
    const input = ['-v', 'warning', '-nostdin', '-re', '-i', file, '-c', 'copy', '-f', 'mpegts']
    const url = `udp://127.0.0.1:${this.#port}?pkt_size=${datagramBytes}`
    await Promise.race([runPeer('ffmpeg', [...input, url]), this.#endedEarly()])
    await waitFor(() => unreadUdpBytes(this.#port) === 0, { what: 'srt-live-transmit to read all' })
    await this.relay.process.close()
  }

  async #endedEarly(): Promise<void> {
    await this.relay.process.exit
    throw this.relay.process.error('ended')
  }
}

/**
 * Receives an address of SRT by srt-live-transmit until the other side ends it, and returns the frames of what came.
 * @throws {Error} when nothing came, or ffprobe complains of something in it
 */
export async function playSrtByLiveTransmit(
  address: SrtAddress,
  options: FfmpegPlayOptions = {},
): Promise<PeerFrame[]> {
  const relay = new SrtLiveTransmit(address, 'console')
  await relay.connected()
  const { process } = relay
  const bytes = await process.succeed(options.timeoutMs)
  if (bytes.length === 0) throw process.error('played nothing')
  return framesOfTs(bytes, options)
}

async function framesOfTs(bytes: Buffer, options: FfmpegPlayOptions): Promise<PeerFrame[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  keep({ close: () => rmSync(folder, { recursive: true, force: true }) })
  const file = join(folder, 'received.ts')
  writeFileSync(file, bytes)
  return (await ffprobeFrames(file, options)).map(withoutAdts)
}

function uriOf(end: RelayEnd, side: 'from' | 'to'): string {
  if (end === 'console') return 'file://con'
  if ('udpPort' in end) return `udp://${side === 'from' ? '' : '127.0.0.1'}:${end.udpPort}`
  const { streamId, localPort } = end
  return srtUrl(end, {
    ...(localPort === undefined ? {} : { port: localPort }),
    // What is encoded here comes so to the other side.
    ...(streamId === undefined ? {} : { streamid: streamId.replaceAll('&', '%26') }),
  })
}
