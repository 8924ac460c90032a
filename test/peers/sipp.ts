import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'
import { waitFor } from './wait-for.ts'

/** A bound of what hangs. */
const TIMEOUT_SECONDS = 90
/** Messages at the end of the trace that the text of a failure has. */
const MESSAGES_SHOWN = 8
const FLAGS = ['-bind_local', '-nostdin', '-timeout_error', '-trace_msg', '-trace_err']
/** Before each message of the trace: whether it was sent or received, and its size in bytes. */
const TRACED = /^-{20,} .*\n(?:UDP|TCP) message (sent|received) [([](\d+)(?: bytes\)|\] bytes ):\n\n?/gmu

export type SippInit = {
  /** A scenario in XML. */
  readonly scenario: string
  /** A scenario for each call that the server begins, while the other one goes on. */
  readonly answers?: string
  /** The port of SIP of the server, on this machine. */
  readonly port: number
  /** Default `UDP`. With `TCP`, all calls are on one connection. */
  readonly transport?: 'UDP' | 'TCP'
  /** Its own port by UDP, so that it goes on where another scenario has ended. Default: any. */
  readonly localPort?: number
  /** What stands in the scenario for `[name]`. */
  readonly keys?: Readonly<Record<string, string>>
  /** What answers to challenges are made of. */
  readonly account?: { readonly username: string; readonly password: string }
  /** The Call-ID of its one call, where that is of a call that there is. */
  readonly callId?: string
  /** Calls after which it ends. Default 1. */
  readonly calls?: number
  /** Calls that it begins in a second. Default 10. */
  readonly rate?: number
  /** The most calls at a time. */
  readonly callsAtOnce?: number
}

/** A message that SIPp has sent or received, byte for byte as `latin1`. */
export type SippMessage = { readonly isSent: boolean; readonly text: string }

/** SIPp with a scenario. It ends with the test that started it, at the latest. */
export class Sipp {
  readonly process: PeerProcess
  readonly #files: SippFiles

  constructor(init: SippInit) {
    this.#files = filesOf(init)
    this.process = new PeerProcess('sipp', argsOf(init, this.#files))
    keep({ close: () => this.#remove() })
  }

  /** The messages so far, in order. */
  get messages(): SippMessage[] {
    return parseTrace(readOrEmpty(this.#files.messages))
  }

  /** The messages so far that it has received and that match, without those that were sent again. */
  received(pattern: RegExp): string[] {
    return [...new Set(this.messages.flatMap(({ isSent, text }) => (!isSent && pattern.test(text) ? [text] : [])))]
  }

  /**
   * Waits for a message that matches.
   * @throws {Error} with its trace, when it ends without
   */
  async waitFor(pattern: RegExp, count = 1): Promise<string> {
    const found = () => this.received(pattern)[count - 1]
    // The exit is looked at first, as a message may come in between.
    const look = () => {
      const hasEnded = this.process.exited !== undefined
      return found() ?? hasEnded
    }
    const message = await waitFor(look, { what: `SIPp to receive ${String(pattern)}` }).catch((cause: unknown) => {
      throw this.#failure('waits in vain', cause)
    })
    if (message === true) throw this.#failure(`ended without ${String(pattern)}`)
    return message
  }

  /**
   * Waits until all its calls are over, and returns the messages.
   * @throws {Error} with its trace, when one was not as the scenario has it
   */
  async succeed(): Promise<SippMessage[]> {
    const { code, signal } = await this.process.exit
    if (code !== 0) throw this.#failure(`ended with ${signal ?? `code ${code}`}`)
    return this.messages
  }

  close(): Promise<void> {
    return this.process.close()
  }

  /** Removes its files, which it makes anew while it runs. */
  async #remove(): Promise<void> {
    await this.process.close()
    rmSync(this.#files.folder, { recursive: true, force: true })
  }

  #failure(what: string, cause?: unknown): Error {
    const said = [this.process.stderr, readOrEmpty(this.#files.errors)].join('\n').trim()
    const shown = this.messages.slice(-MESSAGES_SHOWN)
    const trace = shown.map(({ isSent, text }) => `${isSent ? '→' : '←'} ${text.trim()}`).join('\n\n')
    return new Error(`sipp ${what}:\n${said}\n\n${trace}`, { cause })
  }
}

/** Runs a scenario to its end; see {@link Sipp.succeed}. */
export function runSipp(init: SippInit): Promise<SippMessage[]> {
  return new Sipp(init).succeed()
}

type SippFiles = Readonly<Record<'folder' | 'scenario' | 'answers' | 'messages' | 'errors', string>>

function filesOf({ scenario, answers }: SippInit): SippFiles {
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'))
  const file = (name: string) => join(folder, name)
  writeFileSync(file('scenario.xml'), scenario, 'latin1')
  if (answers !== undefined) writeFileSync(file('answers.xml'), answers, 'latin1')
  return {
    folder,
    scenario: file('scenario.xml'),
    answers: file('answers.xml'),
    messages: file('messages.log'),
    errors: file('errors.log'),
  }
}

function argsOf(init: SippInit, files: SippFiles): string[] {
  const { port, transport = 'UDP', localPort, keys = {}, account, callId, calls = 1, rate, callsAtOnce } = init
  const options = {
    sf: files.scenario,
    oocsf: init.answers && files.answers,
    t: transport === 'UDP' ? 'u1' : 't1',
    i: '127.0.0.1',
    p: localPort,
    m: calls,
    r: rate,
    l: callsAtOnce,
    au: account?.username,
    ap: account?.password,
    cid_str: callId,
    timeout: `${TIMEOUT_SECONDS}s`,
    // It ends a call that has gone wrong without a BYE, and does not end by itself where the machine is slow.
    default_behaviors: 'all,-bye',
    watchdog_major_maxtriggers: 1_000_000,
    watchdog_minor_maxtriggers: 1_000_000,
    message_file: files.messages,
    error_file: files.errors,
  }
  return [
    `127.0.0.1:${port}`,
    ...Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`-${name}`, String(value)])),
    ...Object.entries(keys).flatMap(([name, value]) => ['-key', name, value]),
    ...FLAGS,
  ]
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // It writes its files with the first line of each.
    return ''
  }
}

function parseTrace(trace: string): SippMessage[] {
  return Array.from(trace.matchAll(TRACED), (match) => {
    const [head, way = '', sizeBytes] = match
    const from = match.index + head.length
    return { isSent: way === 'sent', text: trace.slice(from, from + Number(sizeBytes)) }
  })
}
