import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGstreamerData } from './gstreamer-data.ts'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'
import type { PeerFrame, RtspTransport } from './rtsp.ts'
import { waitFor } from './wait-for.ts'

/** The codecs of a stream, as far as GStreamer is to be told of them. */
export type GstreamerCodecs = { readonly video: 'h264' | 'h265'; readonly audio: 'aac' | 'opus' | 'pcma' }

const PARSERS = { h264: ['h264parse'], h265: ['h265parse'], aac: ['aacparse'], opus: ['opusparse'], pcma: [] } as const
const DEPAYLOADERS = {
  h264: 'rtph264depay',
  h265: 'rtph265depay',
  aac: 'rtpmp4gdepay',
  opus: 'rtpopusdepay',
  pcma: 'rtppcmadepay',
} as const
const PROTOCOLS = { tcp: 'tcp', udp: 'udp', multicast: 'udp-mcast', http: 'tcp' } as const satisfies Record<
  RtspTransport,
  string
>
/** How long it waits for a packet that is late. */
const LATENCY_MS = 200

/**
 * Starts GStreamer sending a QuickTime or MP4 file as it is to `rtsp://…` or `rtsps://…`, at the speed of the clock. It
 * sends AAC as MP4A-LATM (RFC 6416), its choice.
 */
export function publishRtspByGstreamer(
  file: string,
  url: string,
  transport: 'tcp' | 'udp',
  { video, audio }: GstreamerCodecs,
): PeerProcess {
  const source = ['filesrc', `location="${file}"`, '!', 'qtdemux', 'name=demux']
  const sink = ['rtspclientsink', 'name=sink', `location="${url}"`, `protocols=${transport}`, 'tls-validation-flags=0']
  return launch([
    ...source,
    ...chain('demux.video_0', 'queue', ...PARSERS[video]),
    ...['!', ...sink],
    ...chain('demux.audio_0', 'queue', ...PARSERS[audio], 'sink.'),
  ])
}

/** GStreamer playing an RTSP address. It ends with the test that started it, at the latest. */
export class GstreamerRtspPlayer {
  readonly process: PeerProcess
  readonly #folder: string

  /** @param url `rtsp://…` or `rtsps://…`; no certificate is asked for */
  constructor(url: string, transport: RtspTransport, { video, audio }: GstreamerCodecs) {
    this.#folder = mkdtempSync(join(tmpdir(), 'gstreamer-'))
    keep({ close: () => rmSync(this.#folder, { recursive: true, force: true }) })
    const source = [
      ...['rtspsrc', 'name=source', `location="${transport === 'http' ? tunnelled(url) : url}"`],
      ...[`protocols=${PROTOCOLS[transport]}`, `latency=${LATENCY_MS}`, 'tls-validation-flags=0'],
      // Times are those of RTP, and not moved by how packets came.
      'buffer-mode=none',
    ]
    const units = `video/x-${video},stream-format=byte-stream,alignment=au`
    // The elements themselves take what is theirs: a filter of caps here may lose a track whose pad comes with the other's.
    this.process = launch([
      ...source,
      ...chain('source.', DEPAYLOADERS[video], units, ...this.#output('video')),
      ...chain('source.', DEPAYLOADERS[audio], ...this.#output('audio')),
    ])
  }

  /** What has come so far, each kind in the order in which it came: first all video, then all audio. */
  get frames(): PeerFrame[] {
    return (['video', 'audio'] as const).flatMap((kind) => {
      const file = this.#file(kind)
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      return parseGstreamerData(bytes).map((buffer) => ({ kind, ...buffer }))
    })
  }

  /**
   * Waits until `check` does not throw at what has come, and ends it. The end of the stream is no sign: GStreamer now and then
   * takes no note of RTCP BYE over UDP, and fails when the connection is closed.
   * @param check what it makes of the same frames is the same: it is called when more have come
   * @throws {Error} that `check` throws in the end, when what it asks for does not come in time
   */
  async untilReceived(check: (frames: PeerFrame[]) => void): Promise<void> {
    let checkedBytes = -1
    let failure: unknown
    const isReceived = () => {
      const sizeBytes = this.#receivedBytes()
      if (sizeBytes > checkedBytes) failure = failureOf(() => check(this.frames))
      checkedBytes = sizeBytes
      if (failure !== undefined) throw failure
      return true
    }
    await waitFor(isReceived, { what: 'GStreamer to play' }).catch(({ cause }: Error) => {
      throw new Error(`${String(cause)}\n${this.process.stderr}`, { cause })
    })
    await this.process.close()
  }

  #file(kind: PeerFrame['kind']): string {
    return join(this.#folder, `${kind}.gdp`)
  }

  #receivedBytes(): number {
    const size = (kind: PeerFrame['kind']) => statSync(this.#file(kind), { throwIfNoEntry: false })?.size ?? 0
    return size('video') + size('audio')
  }

  #output(kind: PeerFrame['kind']): readonly string[] {
    // Nothing waits for the other kind, or for the clock; what was written can be read at once.
    return ['gdppay', `filesink async=false sync=false buffer-mode=unbuffered location="${this.#file(kind)}"`]
  }
}

function failureOf(check: () => void): unknown {
  try {
    check()
  } catch (error) {
    return error
  }
  return undefined
}

function launch(pipeline: readonly string[]): PeerProcess {
  return new PeerProcess('gst-launch-1.0', ['-q', ...pipeline])
}

function chain(...elements: readonly string[]): string[] {
  return elements.flatMap((element, index) => [...(index === 0 ? [] : ['!']), ...element.split(' ')])
}

/** GStreamer takes the tunnel from the scheme. */
function tunnelled(url: string): string {
  return url.replace(/^rtsps?/u, '$&h')
}
