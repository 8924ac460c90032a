import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BenchServer, RunningServer } from './bench-server.ts'
import { freePort } from '../../peers/free-port.ts'
import { NGINX_RTMP_MODULE } from '../../peers/peers.ts'
import { findNginx } from './nginx.ts'
import { ServerProcess } from './server-process.ts'

/** nginx with its RTMP module, as Debian has them; undefined where they are not installed. */
export function nginxRtmp(): BenchServer | undefined {
  const program = findNginx()
  if (program === undefined || !existsSync(NGINX_RTMP_MODULE)) return undefined
  return {
    name: 'nginx-rtmp',
    formats: ['rtmp'],
    async start(): Promise<RunningServer> {
      const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
      const rtmpPort = await freePort()
      const configFile = path.join(folder, 'nginx.conf')
      await writeFile(configFile, configText(folder, rtmpPort))
      const server = new ServerProcess({
        program,
        args: ['-p', folder, '-e', path.join(folder, 'error.log'), '-c', configFile],
        folder,
        ports: [rtmpPort],
      })
      await server.up()
      return {
        rtmpPort,
        target: (format, path) => ({ format, port: rtmpPort, path }),
        usage: () => server.usage(),
        stop: () => server.stop(),
      }
    },
  }
}

function configText(folder: string, rtmpPort: number): string {
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `${user}load_module ${NGINX_RTMP_MODULE};
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 8192; }
rtmp {
  access_log off;
  server {
    listen 127.0.0.1:${rtmpPort};
    chunk_size 4096;
    application live { live on; }
  }
}
`
}
