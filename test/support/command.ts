import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { PeerProcess } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'
import type { ServerLogRecord } from './server.ts'

/** The launcher. */
export const PROGRAM = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url))
/** Those of the launcher, which else would become another process by them. */
const FLAGS = ['--max-semi-space-size=1']

/** Asks for free ports and no demo stream. */
export const COMMAND_ENV = {
  SLUICE_GLOBAL_HTTP_LISTENADDR: ':0',
  SLUICE_RTMP_TCP_LISTENADDR: ':0',
  SLUICE_RTSP_TCP_LISTENADDR: ':0',
  SLUICE_WEBRTC_PORT: '[udp:0, tcp:0]',
  SLUICE_SRT_LISTENADDR: ':0',
  SLUICE_GB28181_SIP_LISTENADDR: '[udp::0, tcp::0]',
  SLUICE_DEMO_ENABLE: 'false',
  SLUICE_JSMPEG_ENABLE: 'false',
}

export type CommandOptions = {
  /** Working directory; without it, a folder of its own. */
  readonly cwd?: string
  /** Added to an environment that asks for free ports and no demo stream. */
  readonly env?: Readonly<Record<string, string>>
  /** What it reads from standard input; nothing unless given. */
  readonly input?: string
  /** The launcher of another checkout, or of an installed package. */
  readonly program?: string
}

/** Starts the program as a user does, with these arguments. */
export function startCommand(
  args: readonly string[],
  { cwd, env, input, program = PROGRAM }: CommandOptions = {},
): PeerProcess {
  // No test finds the data of others, or of the person who runs it.
  const folder = cwd ?? mkdtempSync(path.join(tmpdir(), 'sluice-'))
  const options = { cwd: folder, env: { ...process.env, ...COMMAND_ENV, ...env }, input }
  const peer = new PeerProcess(process.execPath, [...FLAGS, program, ...args], options)
  if (cwd === undefined) void peer.exit.then(() => rmSync(folder, { recursive: true, force: true }))
  return peer
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

  /** Warnings and errors, save that a busy machine held it up, which the log tells of. */
  get complaints(): ServerLogRecord[] {
    const complaints = this.records.filter(({ level }) => level === 'error' || level === 'warn')
    return complaints.filter(({ msg }) => !/was blocked for/u.test(msg))
  }

  http(route: string): string {
    return `http://127.0.0.1:${this.httpPort}${route}`
  }

  ws(route: string): string {
    return `ws://127.0.0.1:${this.httpPort}${route}`
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
