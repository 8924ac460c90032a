import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { missingPeers } from '../../peers/peers.ts'
import { freePort } from '../../peers/free-port.ts'
import { SRT_PASSPHRASE } from '../load/player.ts'
import type { BenchServer, RunningServer } from './bench-server.ts'
import { ServerProcess } from './server-process.ts'
import { sluice } from './sluice.ts'

/**
 * GStreamer's `srtsink`, which sends one MPEG-TS to all who call its port, by libsrt; undefined where it is not installed. A server
 * of ours, which is not measured, takes the publisher, and GStreamer plays from there by RTMP.
 */
export function gstreamerSrt(): BenchServer | undefined {
  if (missingPeers().includes('gstreamer')) return undefined
  return {
    name: 'gstreamer',
    formats: ['srt', 'srt-aes'],
    async start(purpose): Promise<RunningServer> {
      const origin = await sluice({ writeMerge: 'auto', profileFolder: undefined, hls: false }).start(purpose)
      const port = await freePort()
      const passphrase = purpose.format === 'srt-aes' ? SRT_PASSPHRASE : undefined
      let server: ServerProcess | undefined
      return {
        rtmpPort: origin.rtmpPort,
        async playable(streamPath) {
          const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
          const args = pipeline(`rtmp://127.0.0.1:${origin.rtmpPort}/${streamPath}`, port, passphrase)
          server = new ServerProcess({ program: 'gst-launch-1.0', args, folder, ports: [] })
          await server.up()
        },
        target: (format, path) => ({ format, port, path }),
        usage: () => server!.usage(),
        async stop() {
          await Promise.all([origin.stop(), server?.stop()])
        },
      }
    },
  }
}

function pipeline(source: string, port: number, passphrase: string | undefined): string[] {
  const sink = [`uri=srt://127.0.0.1:${port}?mode=listener`, 'wait-for-connection=false', 'sync=false', 'latency=120']
  const secret = passphrase === undefined ? [] : [`passphrase=${passphrase}`, 'pbkeylen=16']
  return [
    '-q',
    'rtmp2src',
    `location=${source}`,
    '!',
    'flvdemux',
    'name=d',
    'mpegtsmux',
    'name=m',
    'alignment=7',
    '!',
    'srtsink',
    ...sink,
    ...secret,
    'd.video',
    '!',
    'queue',
    '!',
    'h264parse',
    'config-interval=-1',
    '!',
    'm.',
    'd.audio',
    '!',
    'queue',
    '!',
    'aacparse',
    '!',
    'm.',
  ]
}
