import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { keep } from './lifetime.ts'
import { waitFor } from './wait-for.ts'

/** Most bytes of standard error kept, from its start. */
const MAX_STDERR_BYTES = 256 * 1024
/** Most bytes of standard output kept, from its start. */
const MAX_STDOUT_BYTES = 64 * 1024 * 1024
/** How long a peer may take to end after SIGTERM before it is killed. */
const TERM_TIMEOUT_MS = 2000
const RUN_TIMEOUT_MS = 120_000

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** How a peer ended. */
export type PeerExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

type PeerOptions = Pick<SpawnOptions, 'cwd' | 'env'> & {
  /** What it reads from standard input; nothing unless given. */
  readonly input?: string | undefined
  /** Standard input stays open, for {@link PeerProcess.type}. */
  readonly isTypedTo?: boolean
}

/** A running program. It ends with the test that started it, at the latest. */
export class PeerProcess {
  /** How it ended; never rejects. Without `code` and `signal` when it could not be started. */
  readonly exit: Promise<PeerExit>
  readonly #name: string
  readonly #child: ChildProcess
  readonly #stdout = new Collected(MAX_STDOUT_BYTES)
  readonly #stderr = new Collected(MAX_STDERR_BYTES)
  #exited: PeerExit | undefined

  constructor(program: string, args: readonly string[], { input, isTypedTo = false, ...options }: PeerOptions = {}) {
    const hasInput = isTypedTo || input !== undefined
    this.#name = program
    this.#child = spawn(program, args, { ...options, stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
    // It may end before it has read all.
    this.#child.stdin?.on('error', () => {})
    if (!isTypedTo) this.#child.stdin?.end(input)
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#stdout.add(bytes))
    this.#child.stderr?.on('data', (bytes: Buffer) => this.#stderr.add(bytes))
    this.#child.on('error', (error) => this.#stderr.add(Buffer.from(error.message)))
    this.exit = this.#whenClosed(keep(this))
    running.add(this.#child)
  }

  /** @throws {Error} when it could not be started */
  get pid(): number {
    if (this.#child.pid === undefined) throw this.error('was not started')
    return this.#child.pid
  }

  get stdout(): Buffer {
    return this.#stdout.bytes
  }

  get stderr(): string {
    return this.#stderr.bytes.toString()
  }

  /** How it ended; undefined while it runs. */
  get exited(): PeerExit | undefined {
    return this.#exited
  }

  /** Writes to its standard input, as a person who types does. */
  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Asks it to end, or stops it for a while and lets it go on: a viewer that takes nothing. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  /**
   * Waits for a text in what it writes to standard error.
   * @throws {Error} when it ends, or the time is over, without it
   */
  async waitForStderr(text: string | RegExp, timeoutMs?: number): Promise<void> {
    const found = () => (typeof text === 'string' ? this.stderr.includes(text) : text.test(this.stderr))
    const options = {
      what: `${this.#name} to write ${String(text)}`,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
    await waitFor(() => found() || this.#exited !== undefined, options)
    if (!found()) throw this.error(`ended without writing ${String(text)}`)
  }

  /**
   * Waits for it to end well.
   * @throws {Error} with what it wrote to standard error, when it fails or is not done in time (default 60 s)
   */
  async succeed(timeoutMs = RUN_TIMEOUT_MS): Promise<Buffer> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs)
    const { code, signal } = await this.exit
    clearTimeout(timer)
    if (code !== 0) throw this.error(`ended with ${signal ?? `code ${code}`}`)
    return this.stdout
  }

  /** Ends it: SIGTERM, and SIGKILL when it does not follow. */
  async close(): Promise<void> {
    this.#child.kill('SIGTERM')
    // A stopped process takes no other signal.
    this.#child.kill('SIGCONT')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), TERM_TIMEOUT_MS)
    await this.exit
    clearTimeout(timer)
  }

  /** An error that says what it wrote to standard error. */
  error(what: string): Error {
    return new Error(`${this.#name} ${what}:\n${this.stderr}`)
  }

  async #whenClosed(letGo: () => void): Promise<PeerExit> {
    // The rejection of `once` is a program that could not be started; 'close' follows.
    await once(this.#child, 'close').catch(() => undefined)
    running.delete(this.#child)
    letGo()
    this.#exited = { code: this.#child.exitCode, signal: this.#child.signalCode }
    return this.#exited
  }
}

/** Runs a program to its end and returns its standard output; see {@link PeerProcess.succeed}. */
export function runPeer(program: string, args: readonly string[], timeoutMs?: number): Promise<Buffer> {
  return new PeerProcess(program, args).succeed(timeoutMs)
}

class Collected {
  readonly #maxBytes: number
  readonly #parts: Buffer[] = []
  #sizeBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }

  add(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#maxBytes - this.#sizeBytes)
    if (kept.length === 0) return
    this.#parts.push(kept)
    this.#sizeBytes += kept.length
  }
}
