import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gateRemarks } from '../../core/auth/config-remarks.ts'
import { Config } from '../../core/config/config.ts'
import { createLogger } from '../../core/observe/logger.ts'
import { RecentLog } from '../../core/observe/recent-log.ts'
import type { Peers } from '../../core/peers/peers.ts'
import { Server } from '../../core/server.ts'
import { keep } from '../peers/lifetime.ts'

/** One line of the server's log. */
export type ServerLogRecord = {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly msg: string
  readonly plugin?: string
  readonly [key: string]: unknown
}

export type StartServerInit = {
  /** Text of the config file. Ports need not be in it, see `env`. */
  readonly config?: string
  /** Puts files into the server's folder before it starts. */
  readonly prepare?: (folder: string) => Promise<void>
  /** Instead of the shipped plugins. */
  readonly pluginFolders?: readonly string[]
  /** Added to an environment that asks for free ports, no demo stream, a log of level debug, and patience. */
  readonly env?: Readonly<Record<string, string>>
  /** What ends and restarts the server for operators, who can't where it is left out. */
  readonly lifecycle?: ConstructorParameters<typeof Server>[0]['lifecycle']
  /** The processes of which the server is one; the only one unless given. */
  readonly peers?: Peers
}

const ENV = {
  SLUICE_GLOBAL_HTTP_LISTENADDR: ':0',
  SLUICE_GLOBAL_LOGLEVEL: 'debug',
  SLUICE_RTMP_TCP_LISTENADDR: ':0',
  SLUICE_RTSP_TCP_LISTENADDR: ':0',
  SLUICE_WEBRTC_PORT: '[udp:0, tcp:0]',
  SLUICE_SRT_LISTENADDR: ':0',
  SLUICE_GB28181_SIP_LISTENADDR: '[udp::0, tcp::0]',
  SLUICE_DEMO_ENABLE: 'false',
  SLUICE_JSMPEG_ENABLE: 'false',
  // What a viewer waits for, or sends, may take a busy machine longer than a user would bear.
  SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '2m',
  SLUICE_GLOBAL_PUBLISH_PUBLISHTIMEOUT: '2m',
}

/** A server inside the test's process, on free ports. It stops with the test that started it, at the latest. */
export class RunningServer {
  readonly server: Server
  /** A folder of this server's own, which goes with it; the config file lies there. */
  readonly folder: string
  readonly configFile: string
  readonly records: readonly ServerLogRecord[]
  readonly #letGo: () => void

  constructor(server: Server, configFile: string, records: readonly ServerLogRecord[]) {
    this.server = server
    this.configFile = configFile
    this.folder = path.dirname(configFile)
    this.records = records
    this.#letGo = keep({ close: () => this.stop() })
  }

  get httpPort(): number {
    return this.#httpPort(false)
  }

  /** Of `http.listenaddrtls`. */
  get httpsPort(): number {
    return this.#httpPort(true)
  }

  get rtmpPort(): number {
    return this.pluginPort('rtmp')
  }

  /** Of `rtmp.tcp.listenaddrtls`. */
  get rtmpsPort(): number {
    return this.pluginPort('rtmp', true)
  }

  get rtspPort(): number {
    return this.pluginPort('rtsp')
  }

  /** Warnings and worse: a test of the good case expects none. */
  get problems(): ServerLogRecord[] {
    return this.records.filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
  }

  pluginPort(name: string, tls = false): number {
    const listeners = this.server.host.list().find((plugin) => plugin.name === name)?.listeners ?? []
    return portOf(listeners, tls, name)
  }

  get srtPort(): number {
    const [listener] = this.server.host.list().find(({ name }) => name === 'srt')?.udpListeners ?? []
    if (listener === undefined) throw new Error('srt does not listen')
    return listener.port
  }

  /** An address of the server's HTTP; the path begins with a slash. */
  http(path: string): string {
    return `http://127.0.0.1:${this.httpPort}${path}`
  }

  ws(path: string): string {
    return `ws://127.0.0.1:${this.httpPort}${path}`
  }

  /** @param target app and name, with or without query */
  rtmp(target: string): string {
    return `rtmp://127.0.0.1:${this.rtmpPort}/${target}`
  }

  /** @param target app and name, with or without query */
  rtsp(target: string): string {
    return `rtsp://127.0.0.1:${this.rtspPort}/${target}`
  }

  /** Asks an admin operation, by POST when it has a body. */
  async api(path: string, init?: RequestInit): Promise<ApiAnswer> {
    const response = await fetch(this.http(path), init)
    return { status: response.status, headers: response.headers, body: (await response.json()) as ApiBody }
  }

  async writeConfig(text: string): Promise<void> {
    await writeFile(this.configFile, text)
  }

  async stop(): Promise<void> {
    this.#letGo()
    await this.server.stop('the test is over')
    await rm(this.folder, { recursive: true, force: true })
  }

  #httpPort(tls: boolean): number {
    return portOf(this.server.http.addresses, tls, 'http')
  }
}

export type ApiAnswer = { readonly status: number; readonly headers: Headers; readonly body: ApiBody }
export type ApiBody = { readonly code: number; readonly message: string; readonly data?: unknown } & Readonly<
  Record<string, unknown>
>

/** Starts a server; resolves when its plugins are up. */
export async function startServer(init: StartServerInit = {}): Promise<RunningServer> {
  const { config = '', prepare, pluginFolders, env, lifecycle, peers } = init
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
  const configFile = path.join(folder, 'config.yaml')
  await writeFile(configFile, config)
  await prepare?.(folder)
  const records: ServerLogRecord[] = []
  const write = (line: string) => void records.push(JSON.parse(line) as ServerLogRecord)
  const recentLog = new RecentLog()
  const log = createLogger({ level: 'debug', destination: { write }, recent: recentLog })
  const data = {
    SLUICE_GLOBAL_DATADIR: path.join(folder, 'data'),
    SLUICE_GLOBAL_STORAGE_LOCAL_PATH: path.join(folder, 'recordings'),
  }
  const server = new Server({
    config: await Config.load({ file: configFile, env: { ...ENV, ...data, ...env }, inspect: gateRemarks }),
    log,
    recentLog,
    ...(pluginFolders === undefined ? {} : { pluginFolders }),
    ...(lifecycle && { lifecycle }),
    ...(peers && { peers }),
  })
  const running = new RunningServer(server, configFile, records)
  await server.start()
  return running
}

function portOf(addresses: readonly { port: number; tls: boolean }[], tls: boolean, owner: string): number {
  const port = addresses.find((address) => address.tls === tls)?.port
  if (port === undefined) throw new Error(`${owner} does not listen${tls ? ' with TLS' : ''}`)
  return port
}
