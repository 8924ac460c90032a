import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { waitFor } from '../../peers/wait-for.ts'
import { usageOf, type Usage } from './process-usage.ts'

const TERM_TIMEOUT_MS = 8000

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

type ServerProcessInit = {
  readonly program: string
  readonly args: readonly string[]
  /** Its own, deleted when it has ended. */
  readonly folder: string
  /** Ports that it listens on once it is up. */
  readonly ports: readonly number[]
}

/** A server under measurement. */
export class ServerProcess {
  readonly #init: ServerProcessInit
  readonly #child: ChildProcess
  #stderr = ''

  constructor(init: ServerProcessInit) {
    this.#init = init
    this.#child = spawn(init.program, init.args, { cwd: init.folder, stdio: ['ignore', 'ignore', 'pipe'] })
    running.add(this.#child)
    this.#child.stderr?.on('data', (bytes: Buffer) => (this.#stderr = (this.#stderr + bytes.toString()).slice(-4096)))
    this.#child.on('error', (error) => (this.#stderr += error.message))
    this.#child.on('exit', () => running.delete(this.#child))
  }

  /** @throws {Error} when it ends instead, or takes too long */
  async up(): Promise<void> {
    for (const port of this.#init.ports) {
      await waitFor(() => this.#ended || accepts(port), { what: `${this.#init.program} to listen on port ${port}` })
    }
    if (this.#ended) throw new Error(`${this.#init.program} ended:\n${this.#stderr}`)
  }

  usage(): Promise<Usage> {
    if (this.#child.pid === undefined || this.#ended) throw new Error(`the server has ended:\n${this.#stderr}`)
    return usageOf(this.#child.pid)
  }

  async stop(): Promise<void> {
    if (!this.#ended) {
      const exit = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), TERM_TIMEOUT_MS)
      await exit
      clearTimeout(timer)
    }
    await rm(this.#init.folder, { recursive: true, force: true })
  }

  get #ended(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
