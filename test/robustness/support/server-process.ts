import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import type { Holdings, ProbeAnswer, ProbeQuestion, Usage } from './probe.ts'

export type LogLine = {
  readonly level: string
  readonly time: string
  readonly msg: string
  readonly ip?: string
  readonly port?: number
  readonly reason?: string
  readonly owner?: string
  readonly host?: string
  readonly session?: number
  readonly [key: string]: unknown
}

/** Where a client comes from, and since when. */
type ClientEnd = { readonly address: string; readonly port: number; readonly since: string }

export type Ports = {
  readonly rtmp: number
  readonly rtmps: number
  readonly rtsp: number
  readonly srt: number
  readonly http: number
  readonly https: number
}

type Details = Readonly<Record<string, string | number>>
type List = { readonly total: number; readonly data: readonly { readonly path: string; readonly details: Details }[] }

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))
const PROBE = new URL('probe.ts', import.meta.url).href
const NODE_ARGS = ['--conditions=source', '--expose-gc', '--disable-warning=ExperimentalWarning', '--import', PROBE]

const ENV = {
  SLUICE_GLOBAL_HTTP_LISTENADDR: '127.0.0.1:0',
  SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0',
  SLUICE_RTMP_TCP_LISTENADDR: '127.0.0.1:0',
  SLUICE_RTMP_TCP_LISTENADDRTLS: '127.0.0.1:0',
  SLUICE_RTSP_TCP_LISTENADDR: '127.0.0.1:0',
  SLUICE_WEBRTC_PORT: '[udp:0, tcp:0]',
  SLUICE_SRT_LISTENADDR: '127.0.0.1:0',
  SLUICE_GB28181_SIP_LISTENADDR: '[udp:127.0.0.1:0, tcp:127.0.0.1:0]',
  SLUICE_DEMO_ENABLE: 'false',
  SLUICE_JSMPEG_ENABLE: 'false',
}

/** A bound of what hangs: a count goes through the whole heap. */
const ANSWER_TIMEOUT_MS = 90_000

/** The server as users run it, in a process of its own, so that its memory and descriptors can be counted. */
export class ServerProcess {
  readonly lines: LogLine[] = []
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #questions = new Map<number, (answer: Holdings | Usage) => void>()
  readonly #letGo: () => void
  #nextQuestion = 0
  #countedMs = 0
  #countingSinceMs: number | undefined
  #ports: Ports = { rtmp: 0, rtmps: 0, rtsp: 0, srt: 0, http: 0, https: 0 }

  private constructor(folder: string, child: ChildProcess) {
    this.#folder = folder
    this.#child = child
    let rest = ''
    // Not `readline`, for which more than a line feed ends a line.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine)
    })
    child.on('message', ({ id, answer }: ProbeAnswer) => this.#questions.get(id)?.(answer))
    this.#letGo = keep({ close: () => this.stop() })
  }

  /** Starts a server with free ports for RTMP, RTMPS, RTSP, SRT, HTTP and HTTPS; resolves when it is up. */
  static async start(config = '', nodeArgs: readonly string[] = []): Promise<ServerProcess> {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const file = path.join(folder, 'config.yaml')
    await writeFile(file, config)
    const child = spawn(process.execPath, [...NODE_ARGS, ...nodeArgs, MAIN, '-c', file], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, ...ENV },
      // Where its data goes, too.
      cwd: folder,
    })
    const server = new ServerProcess(folder, child)
    const up = () => child.exitCode !== null || server.lines.some(({ msg }) => msg === 'the server is up')
    await waitFor(up, { what: 'the server to start' })
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`)
    const [http = 0, https = 0] = server.#portsOf('the server')
    const [rtmp = 0, rtmps = 0] = server.#portsOf('rtmp')
    const [rtsp = 0] = server.#portsOf('rtsp')
    const [srt = 0] = server.#portsOf('srt')
    server.#ports = { http, https, rtmp, rtmps, rtsp, srt }
    // The files of the database are open by then, and counted from the beginning.
    await server.#list('/monitor/api/session/list')
    return server
  }

  get ports(): Ports {
    return this.#ports
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** How it ended; null while it runs. */
  get exitCode(): number | null {
    return this.#child.exitCode
  }

  /**
   * The lines that say why the connection of a client ended, or the first session on it that did: another session may be of
   * another client, as the kernel gives the port of one that was cut again.
   */
  endsOf({ address, port, since }: ClientEnd): LogLine[] {
    const lines = this.lines.filter(({ time }) => time >= since)
    const own = (line: LogLine) => line.port === port && line.ip === address && line.host === undefined
    const sessions = new Set(lines.filter(own).flatMap(({ session }) => session ?? []))
    const ends = lines.filter((line) => line.reason !== undefined && (own(line) || sessions.has(line.session ?? -1)))
    const ended = ends.find(({ session }) => session !== undefined)?.session
    return ends.filter(({ session }) => session === undefined || session === ended)
  }

  /** Lines that say that something is wrong with the server itself, save for what it does for the probe's counts. */
  get problems(): LogLine[] {
    const wrong = this.lines.filter(({ level }) => level === 'error' || level === 'fatal' || level === 'warn')
    return wrong.filter(({ msg }) => !msg.startsWith('the event loop '))
  }

  async holdings(): Promise<Holdings> {
    const askedAtMs = performance.now()
    this.#countingSinceMs = askedAtMs
    try {
      return (await this.#ask('holdings')) as Holdings
    } finally {
      this.#countingSinceMs = undefined
      this.#countedMs += performance.now() - askedAtMs
    }
  }

  /** For how long the server was busy with counting what it holds, which goes through its whole heap. */
  get countedMs(): number {
    return this.#countedMs + (this.#countingSinceMs === undefined ? 0 : performance.now() - this.#countingSinceMs)
  }

  usage(): Promise<Usage> {
    return this.#ask('usage')
  }

  /** How many streams are published, and how many sessions take or wait for one. */
  async sessions(): Promise<{ readonly streams: number; readonly subscribers: number }> {
    // All of hundreds would cost the server and the test more than what is tried.
    const query = 'pageNum=1&pageSize=1'
    const lists = [`/api/stream/list?${query}`, `/api/subscribers?${query}`]
    const [streams = 0, subscribers = 0] = await Promise.all(lists.map((list) => this.#total(list)))
    return { streams, subscribers }
  }

  /**
   * What the protocol of a stream's publisher says of it.
   * @throws {Error} when there is no such stream
   */
  async streamDetails(streamPath: string): Promise<Details> {
    const { data } = await this.#list('/api/stream/list')
    const stream = data.find(({ path }) => path === streamPath)
    if (stream === undefined) throw new Error(`there is no stream ${streamPath}`)
    return stream.details
  }

  async stop(): Promise<void> {
    this.#letGo()
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await exited
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #ask(ask: ProbeQuestion['ask']): Promise<Holdings | Usage> {
    const id = this.#nextQuestion++
    const answers: (Holdings | Usage)[] = []
    this.#questions.set(id, (answer) => void answers.push(answer))
    this.#child.send({ id, ask } satisfies ProbeQuestion)
    const answer = await waitFor(() => answers[0], { what: `the server's ${ask}`, timeoutMs: ANSWER_TIMEOUT_MS })
    this.#questions.delete(id)
    return answer
  }

  async #total(path: string): Promise<number> {
    return (await this.#list(path)).total
  }

  async #list(path: string): Promise<List> {
    // A connection kept for the next request would be counted as the server's.
    const headers = { connection: 'close' }
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const response = await fetch(`http://127.0.0.1:${this.#ports.http}${path}`, { headers, signal })
    return (await response.json()) as List
  }

  #portsOf(owner: string): number[] {
    const lines = this.lines.filter((line) => line.owner === owner && line.msg.startsWith('listening on'))
    return lines.map(({ port }) => port ?? 0)
  }
}
