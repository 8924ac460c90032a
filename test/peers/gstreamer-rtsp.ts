import { GSTREAMER_PARSERS, gstreamerChain, GstreamerFiles, type GstreamerCodecs } from './gstreamer-files.ts'
import { PeerProcess } from './process.ts'
import type { PeerFrame, RtspTransport } from './rtsp.ts'
import { waitFor } from './wait-for.ts'

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
    ...gstreamerChain('demux.video_0', 'queue', ...GSTREAMER_PARSERS[video]),
    '!',
    ...sink,
    ...gstreamerChain('demux.audio_0', 'queue', ...GSTREAMER_PARSERS[audio], 'sink.'),
  ])
}

/** GStreamer playing an RTSP address. It ends with the test that started it, at the latest. */
export class GstreamerRtspPlayer {
  readonly process: PeerProcess
  readonly #files = new GstreamerFiles()

  /** @param url `rtsp://…` or `rtsps://…`; no certificate is asked for */
  constructor(url: string, transport: RtspTransport, { video, audio }: GstreamerCodecs) {
    const source = [
      'rtspsrc',
      'name=source',
      `location="${transport === 'http' ? tunnelled(url) : url}"`,
      `protocols=${PROTOCOLS[transport]}`,
      `latency=${LATENCY_MS}`,
      'tls-validation-flags=0',
      // Times are those of RTP, and not moved by how packets came.
      'buffer-mode=none',
    ]
    const units = `video/x-${video},stream-format=byte-stream,alignment=au`
    // The elements themselves take what is theirs: a filter of caps here may lose a track whose pad comes with the other's.
    this.process = launch([
      ...source,
      ...gstreamerChain('source.', DEPAYLOADERS[video], units, ...this.#files.output('video')),
      ...gstreamerChain('source.', DEPAYLOADERS[audio], ...this.#files.output('audio')),
    ])
  }

  /** What has come so far, each kind in the order in which it came: first all video, then all audio. */
  get frames(): PeerFrame[] {
    return this.#files.frames
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
      const { sizeBytes } = this.#files
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

/** GStreamer takes the tunnel from the scheme. */
function tunnelled(url: string): string {
  return url.replace(/^rtsps?/u, '$&h')
}
