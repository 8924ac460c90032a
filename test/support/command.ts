import { fileURLToPath } from 'node:url'
import { PeerProcess } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'
import type { ServerLogRecord } from './server.ts'

const MAIN = fileURLToPath(new URL('../../core/main.ts', import.meta.url))

const ENV = {
  SLUICE_GLOBAL_HTTP_LISTENADDR: ':0',
  SLUICE_RTMP_TCP_LISTENADDR: ':0',
  SLUICE_RTSP_TCP_LISTENADDR: ':0',
  SLUICE_DEMO_ENABLE: 'false',
  SLUICE_JSMPEG_ENABLE: 'false',
}

export type CommandOptions = {
  /** Working directory. */
  readonly cwd?: string
  /** Added to an environment that asks for free ports and no demo stream. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the program as a user does, with these arguments. */
export function startCommand(args: readonly string[], { cwd, env }: CommandOptions = {}): PeerProcess {
  const options = { env: { ...process.env, ...ENV, ...env }, ...(cwd === undefined ? {} : { cwd }) }
  return new PeerProcess(process.execPath, ['--conditions=source', MAIN, ...args], options)
}

/** A server in a process of its own, started from the command line. */
export class ServerCommand {
  readonly process: PeerProcess
  readonly httpPort: number
  readonly rtmpPort: number

  private constructor(peer: PeerProcess) {
    this.process = peer
    this.httpPort = portOf(peer, 'the server')
    this.rtmpPort = portOf(peer, 'rtmp')
  }

  /** Resolves when the server is up. */
  static async start(args: readonly string[], options?: CommandOptions): Promise<ServerCommand> {
    const peer = startCommand(args, options)
    const up = () => peer.exited !== undefined || recordsOf(peer).some(({ msg }) => msg === 'the server is up')
    await waitFor(up, { what: 'the server to start' })
    if (peer.exited !== undefined) throw peer.error('ended')
    return new ServerCommand(peer)
  }

  get rtspPort(): number {
    return portOf(this.process, 'rtsp')
  }

  get records(): ServerLogRecord[] {
    return recordsOf(this.process)
  }

  http(path: string): string {
    return `http://127.0.0.1:${this.httpPort}${path}`
  }

  ws(path: string): string {
    return `ws://127.0.0.1:${this.httpPort}${path}`
  }

  rtmp(target: string): string {
    return `rtmp://127.0.0.1:${this.rtmpPort}/${target}`
  }
}

function recordsOf(peer: PeerProcess): ServerLogRecord[] {
  // What follows the last line's end is not complete.
  const lines = peer.stdout.toString().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as ServerLogRecord)
}

function portOf(peer: PeerProcess, owner: string): number {
  return Number(recordsOf(peer).find((record) => record['owner'] === owner && 'port' in record)?.['port'])
}
