import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CACHE_FOLDER } from '../cache.ts'
import { freePort } from '../../peers/free-port.ts'
import type { BenchServer, RunningServer } from './bench-server.ts'
import { ServerProcess } from './server-process.ts'

const VERSION = '4.4.3'
const FETCH_TIMEOUT_MS = 120_000

/** node-media-server from npm, fetched when it is not there; undefined when it can't be fetched. */
export async function nodeMediaServer(): Promise<BenchServer | undefined> {
  const home = path.join(CACHE_FOLDER, `node-media-server-${VERSION}`)
  const program = path.join(home, 'node_modules/node-media-server/bin/app.js')
  if (!existsSync(program)) await fetchInto(home)
  if (!existsSync(program)) return undefined
  return {
    name: 'node-media-server',
    formats: ['rtmp', 'flv', 'ws'],
    async start(): Promise<RunningServer> {
      const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
      const [rtmpPort, httpPort] = await Promise.all([freePort(), freePort()])
      const configFile = path.join(folder, 'config.json')
      await writeFile(configFile, configText(folder, rtmpPort, httpPort))
      const args = [program, '-c', configFile, '--no-admin']
      const server = new ServerProcess({ program: process.execPath, args, folder, ports: [rtmpPort, httpPort] })
      await server.up()
      return {
        rtmpPort,
        target: (format, path) =>
          format === 'rtmp' ? { format, port: rtmpPort, path } : { format, port: httpPort, path: `/${path}.flv` },
        usage: () => server.usage(),
        stop: () => server.stop(),
      }
    },
  }
}

async function fetchInto(home: string): Promise<void> {
  await mkdir(home, { recursive: true })
  const args = ['install', '--prefix', home, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  spawnSync('npm', [...args, `node-media-server@${VERSION}`], { stdio: ['ignore', 2, 2], timeout: FETCH_TIMEOUT_MS })
}

function configText(folder: string, rtmpPort: number, httpPort: number): string {
  return JSON.stringify({
    bind: '127.0.0.1',
    store: { path: path.join(folder, 'data') },
    auth: { play: false, publish: false },
    rtmp: { port: rtmpPort },
    http: { port: httpPort },
    record: { auto: false, path: path.join(folder, 'record') },
  })
}
