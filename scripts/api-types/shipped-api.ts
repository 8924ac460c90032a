import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openApiDocument } from '../../core/admin/description/openapi.ts'
import { Config } from '../../core/config/config.ts'
import { createLogger } from '../../core/observe/logger.ts'
import { VERSION } from '../../core/package-root.ts'
import { Server } from '../../core/server.ts'
import type { ApiDocument } from './paths-declaration.ts'

/** A plugin that does not run without ffmpeg, and has no operations. */
const LEFT_OUT = 'jsmpeg'
/** Plugins with addresses listen nowhere, or on any free port of this machine. */
const SECTIONS = {
  rtmp: { tcp: { listenaddr: '' } },
  rtsp: { tcp: { listenaddr: '' } },
  srt: { listenaddr: '' },
  gb28181: { sip: { listenaddr: [] } },
  webrtc: { port: ['udp:127.0.0.1:0'] },
  [LEFT_OUT]: { enable: false },
}

/**
 * The description that a server with all shipped plugins makes of its API. The server runs for that long, without ports that
 * another program may have; its files are in a temporary folder.
 * @throws {Error} when a plugin does not run
 */
export async function describeShippedApi(): Promise<ApiDocument> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-api-types-'))
  try {
    return await describeIn(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function describeIn(folder: string): Promise<ApiDocument> {
  const file = path.join(folder, 'config.yaml')
  const global = {
    http: { listenaddr: '' },
    datadir: path.join(folder, 'data'),
    storage: { local: { path: path.join(folder, 'recordings') } },
  }
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ global, ...SECTIONS }))
  const server = new Server({
    config: await Config.load({ file, env: {} }),
    log: createLogger({ level: 'fatal', destination: { write: () => undefined } }),
  })
  try {
    // Loading has no time limit here, unlike in `start`.
    await server.loadPlugins()
    await server.start()
    const failed = server.host.list().find(({ name, state }) => state !== 'running' && name !== LEFT_OUT)
    if (failed !== undefined) throw new Error(`plugin '${failed.name}' is ${failed.state}: ${failed.disableReason}`)
    return openApiDocument(server.http.operationsByOwner(), VERSION) as ApiDocument
  } finally {
    await server.stop('its API is described')
  }
}
