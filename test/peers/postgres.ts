import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { keep, keepForRun } from './lifetime.ts'
import { findProgram } from './peers.ts'
import { waitFor } from './wait-for.ts'

/** The superuser of the test's databases. */
const USER = 'tester'
const INIT_OPTIONS = ['--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
/** It listens on a socket in its folder only. */
const LEAN = ['listen_addresses=', 'max_connections=40', 'shared_buffers=16MB', 'autovacuum=off']
/** No test takes the machine's power away, so nothing need reach its disk. */
const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

type Account = { readonly uid: number; readonly gid: number }

const running = new Set<PostgresServer>()
process.on('exit', () => {
  for (const server of running) server.abandon()
})

/** PostgreSQL with databases of the test's own, in a temporary folder. It ends with the test or file that started it. */
export class PostgresServer {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'sluice-pg-'))
  readonly #account = serviceAccount()
  #process: ChildProcess | undefined

  private constructor() {
    if (this.#account !== undefined) chownSync(this.#folder, this.#account.uid, this.#account.gid)
  }

  /** @param keeper for how long: see `keep` and `keepForRun` */
  static async start(keeper = keep): Promise<PostgresServer> {
    const server = new PostgresServer()
    keeper(server)
    running.add(server)
    const { status, stderr } = spawnSync(programOf('initdb'), [...INIT_OPTIONS, '-D', server.#data], {
      ...server.#account,
      cwd: tmpdir(),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`initdb failed:\n${stderr}`)
    await server.start()
    return server
  }

  get #data(): string {
    return path.join(this.#folder, 'data')
  }

  /** Starts it again, with what its databases had. */
  async start(): Promise<void> {
    const options = [...LEAN, ...NOT_DURABLE, `unix_socket_directories=${this.#folder}`]
    const settings = options.flatMap((option) => ['-c', option])
    const command = [programOf('postgres'), '-D', this.#data, ...settings]
    // It ends with this process, however that does.
    const account = this.#account && [`--reuid=${this.#account.uid}`, `--regid=${this.#account.gid}`, '--clear-groups']
    const args = ['--pdeathsig=QUIT', ...(account ?? []), ...command]
    this.#process = spawn('setpriv', args, { cwd: tmpdir(), stdio: 'ignore' })
    await waitFor(() => this.#answers(), { what: 'PostgreSQL to answer' })
  }

  /** Ends its connections and itself; what was answered stays. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** @returns the URL of a new database */
  async createDatabase(): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`
    await this.#ask(`create database ${name}`)
    return this.url(name)
  }

  url(database: string): string {
    return `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(this.#folder)}`
  }

  async close(): Promise<void> {
    await this.#end('SIGQUIT')
    running.delete(this)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** As the process of the test ends. */
  abandon(): void {
    this.#process?.kill('SIGQUIT')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async #answers(): Promise<boolean> {
    if (this.#process?.exitCode !== null) throw new Error('PostgreSQL has ended')
    await this.#ask('select 1')
    return true
  }

  async #ask(sql: string): Promise<void> {
    const client = new Client({ connectionString: this.url('postgres') })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
}

let shared: Promise<PostgresServer> | undefined

/** The one that all tests of the process share, each with databases of its own. Ask for it in a `before`. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start(keepForRun)
  return shared
}

/** PostgreSQL refuses to run as root. */
function serviceAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function programOf(name: string): string {
  const program = findProgram(name)
  if (program === undefined) throw new Error(`${name} is not installed`)
  return program
}
