import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../peers/free-port.ts'
import type { BenchServer, RunningServer } from './bench-server.ts'
import { HlsCopier } from './hls-copier.ts'
import { findNginx } from './nginx.ts'
import { ServerProcess } from './server-process.ts'
import { sluice } from './sluice.ts'

/**
 * nginx as Debian has it, serving as files the playlists and segments that this project's server makes; undefined where
 * it is not installed. Only nginx is measured: not the making of the segments.
 */
export function nginxFiles(): BenchServer | undefined {
  const program = findNginx()
  if (program === undefined) return undefined
  return {
    name: 'nginx files',
    formats: ['hls-segments'],
    async start(purpose): Promise<RunningServer> {
      const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
      const port = await freePort()
      const configFile = path.join(folder, 'nginx.conf')
      await writeFile(configFile, configText(folder, port))
      const args = ['-p', folder, '-e', path.join(folder, 'error.log'), '-c', configFile]
      const server = new ServerProcess({ program, args, folder, ports: [port] })
      await server.up()
      const origin = await sluice({ writeMerge: 'auto', profileFolder: undefined, hls: true }).start(purpose)
      const copier = new HlsCopier(folder)
      return {
        rtmpPort: origin.rtmpPort,
        playable: (path) => {
          const source = origin.target('hls-segments', path)
          return copier.start(`http://127.0.0.1:${source.port}${source.path}`)
        },
        target: (format, path) => ({ ...origin.target(format, path), port }),
        usage: () => server.usage(),
        async stop() {
          try {
            await copier.stop()
          } finally {
            await Promise.all([origin.stop(), server.stop()])
          }
        },
      }
    },
  }
}

function configText(folder: string, port: number): string {
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `${user}daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 8192; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  types { application/vnd.apple.mpegurl m3u8; video/mp4 mp4 m4s; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${folder};
  }
}
`
}
