import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { keep } from './lifetime.ts'
import { NGINX_RTMP_MODULE } from './peers.ts'
import { PeerProcess } from './process.ts'
import { waitFor } from './wait-for.ts'

/** How often another port is tried, where somebody else was quicker. */
const ATTEMPTS = 3

/** Starts nginx with its RTMP module: `live` is live, `vod` plays the FLV files of a folder. It ends with the test. */
export async function startNginxRtmp(files: string): Promise<{ readonly port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const error = await run(port, files)
    if (error === undefined) return { port }
    if (attempt === ATTEMPTS || !error.message.includes('Address already in use')) throw error
  }
}

async function run(port: number, files: string): Promise<Error | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'nginx-rtmp-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  const file = path.join(folder, 'nginx.conf')
  await writeFile(file, configText(port, files))
  const peer = new PeerProcess('nginx', ['-p', folder, '-c', file, '-e', 'stderr'])
  await waitFor(async () => peer.exited !== undefined || (await takes(port)), { what: 'nginx to listen' })
  return peer.exited === undefined ? undefined : peer.error('ended')
}

function takes(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

/** One process without root's rights or a place of its own. */
function configText(port: number, files: string): string {
  return `load_module ${NGINX_RTMP_MODULE};
daemon off;
master_process off;
pid nginx.pid;
events {}
rtmp {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    application live { live on; }
    application vod { play ${files}; }
  }
}
`
}
