import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../peers/free-port.ts'
import type { BenchServer, RunningServer } from './bench-server.ts'
import { ServerProcess } from './server-process.ts'
import { sluice } from './sluice.ts'

const MAIN = fileURLToPath(new URL('./werift-fan-out.ts', import.meta.url))

/**
 * werift's own way to send a stream to many: an `RTCPeerConnection` for each viewer and one track for all. A server of ours,
 * which is not measured, takes the publisher.
 */
export function werift(): BenchServer {
  return {
    name: 'werift',
    formats: ['webrtc'],
    async start(purpose): Promise<RunningServer> {
      const origin = await sluice({ writeMerge: 'auto', profileFolder: undefined, hls: false }).start(purpose)
      const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
      const port = await freePort()
      const args = ['--conditions=source', MAIN, String(origin.rtmpPort), String(port)]
      const server = new ServerProcess({ program: process.execPath, args, folder, ports: [port] })
      await server.up()
      return {
        rtmpPort: origin.rtmpPort,
        target: (format, path) => ({ format, port, path: `/${path}` }),
        usage: () => server.usage(),
        async stop() {
          await Promise.all([origin.stop(), server.stop()])
        },
      }
    },
  }
}
