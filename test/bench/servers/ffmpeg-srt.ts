import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeUdpRange } from '../../peers/free-port.ts'
import { findProgram } from '../../peers/peers.ts'
import { SRT_PASSPHRASE } from '../load/player.ts'
import type { BenchServer, RunningServer } from './bench-server.ts'
import { ServerProcess } from './server-process.ts'
import { sluice } from './sluice.ts'

/**
 * ffmpeg with an output for each viewer, which it sends by libsrt: one that listens takes a single caller, so each has a port of its
 * own. A server of ours, which is not measured, takes the publisher, and ffmpeg plays from there by RTMP. Undefined without ffmpeg.
 */
export function ffmpegSrt(): BenchServer | undefined {
  const program = findProgram('ffmpeg')
  if (program === undefined) return undefined
  return {
    name: 'ffmpeg',
    formats: ['srt', 'srt-aes'],
    async start(purpose): Promise<RunningServer> {
      const origin = await sluice({ writeMerge: 'auto', profileFolder: undefined, hls: false }).start(purpose)
      const { first: port, last } = await freeUdpRange(purpose.viewers)
      const secret = purpose.format === 'srt-aes' ? `&passphrase=${SRT_PASSPHRASE}&pbkeylen=16` : ''
      let server: ServerProcess | undefined
      return {
        rtmpPort: origin.rtmpPort,
        async playable(streamPath) {
          const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
          const args = ['-v', 'error', '-nostdin', '-i', `rtmp://127.0.0.1:${origin.rtmpPort}/${streamPath}`]
          for (let listening = port; listening <= last; listening += 1) {
            const url = `srt://127.0.0.1:${listening}?mode=listener&latency=120000${secret}`
            args.push('-map', '0', '-c', 'copy', '-f', 'mpegts', url)
          }
          server = new ServerProcess({ program, args, folder, ports: [] })
          await server.up()
        },
        target: (format, path) => ({ format, port, path, isPortOfViewer: true }),
        usage: () => server!.usage(),
        async stop() {
          await Promise.all([origin.stop(), server?.stop()])
        },
      }
    },
  }
}
