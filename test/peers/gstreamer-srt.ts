import { statSync } from 'node:fs'
import { join } from 'node:path'
import { GSTREAMER_PARSERS, gstreamerChain, GstreamerFiles, type GstreamerCodecs } from './gstreamer-files.ts'
import { PeerProcess, runPeer } from './process.ts'
import type { PeerFrame } from './rtsp.ts'
import { srtUrl, type SrtAddress } from './srt.ts'
import { withoutAdts } from './without-adts.ts'

/**
 * Starts GStreamer sending a QuickTime or MP4 file as it is by SRT, at the speed of the clock. It closes at the end without
 * sending the last of it, a quarter of a second at most.
 */
export function publishSrtByGstreamer(
  file: string,
  address: SrtAddress,
  { video, audio }: GstreamerCodecs,
): PeerProcess {
  return new PeerProcess('gst-launch-1.0', [
    '-q',
    'filesrc',
    `location="${file}"`,
    '!',
    'qtdemux',
    'name=demux',
    ...gstreamerChain('demux.video_0', 'queue', ...GSTREAMER_PARSERS[video], 'mpegtsmux name=mux alignment=7'),
    '!',
    'srtsink',
    ...propertiesOf(address),
    ...gstreamerChain('demux.audio_0', 'queue', ...GSTREAMER_PARSERS[audio], 'mux.'),
  ])
}

/**
 * Plays an address of SRT in GStreamer until the other side ends it, and returns what it got: first all video, then all
 * audio, each in the order of decoding. It demuxes what came afterwards, as in between it would move times by when packets
 * came.
 * @throws {Error} when nothing came
 */
export async function playSrtByGstreamer(
  address: SrtAddress,
  { video, audio }: GstreamerCodecs,
  timeoutMs = 60_000,
): Promise<PeerFrame[]> {
  const files = new GstreamerFiles()
  const file = join(files.folder, 'received.ts')
  const received = `location="${file}"`
  const player = new PeerProcess('gst-launch-1.0', [
    '-q',
    'srtsrc',
    ...propertiesOf(address),
    '!',
    'filesink',
    'buffer-mode=unbuffered',
    received,
  ])
  const timer = setTimeout(() => player.signal('SIGKILL'), timeoutMs)
  await player.exit
  clearTimeout(timer)
  // That the other side ends it is an error to GStreamer, like all others.
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw player.error('played nothing')
  const units = `video/x-${video},stream-format=byte-stream,alignment=au`
  await runPeer('gst-launch-1.0', [
    '-q',
    'filesrc',
    received,
    '!',
    'tsdemux',
    'name=demux',
    ...gstreamerChain('demux.', 'queue', ...GSTREAMER_PARSERS[video], units, ...files.output('video')),
    ...gstreamerChain('demux.', 'queue', ...GSTREAMER_PARSERS[audio], ...files.output('audio')),
  ])
  return files.frames.map(withoutAdts)
}

/** It would try again at once, and for ever, where it is refused. */
function propertiesOf(address: SrtAddress): string[] {
  const { passphrase, keyBytes, ...rest } = address
  return [
    `uri="${srtUrl(rest)}"`,
    'auto-reconnect=false',
    ...(rest.streamId === undefined ? [] : [`streamid="${rest.streamId}"`]),
    ...(rest.latencyMs === undefined ? [] : [`latency=${rest.latencyMs}`]),
    ...(rest.localPort === undefined ? [] : [`localport=${rest.localPort}`]),
    ...(passphrase === undefined ? [] : [`passphrase="${passphrase}"`]),
    ...(keyBytes === undefined ? [] : [`pbkeylen=${keyBytes}`]),
  ]
}
