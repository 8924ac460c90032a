import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from '../command-error.ts'
import { printable } from './printable.ts'

type PromptStreams = {
  readonly input: NodeJS.ReadStream
  /** The stream of the questions, apart from the results, which a script may store. */
  readonly output: NodeJS.WriteStream
}

/** Asks the person at the terminal; without a terminal, the answers are the lines of the input. */
export class Prompt {
  readonly #streams: PromptStreams
  #reader: Interface | undefined
  #lines: AsyncIterator<string> | undefined

  constructor(streams: PromptStreams) {
    this.#streams = streams
  }

  /** True when a person can answer. */
  get isTerminal(): boolean {
    return this.#streams.input.isTTY
  }

  /** Asks a question. @throws {CommandError} when there is no answer */
  async ask(question: string): Promise<string> {
    return (await this.#ask(question, { echo: true })).trim()
  }

  /** Asks for a secret, which is not shown. @throws {CommandError} when there is no answer */
  askSecret(question: string): Promise<string> {
    return this.#ask(question, { echo: false })
  }

  /** Asks before an action that can't be undone; without a terminal, it is confirmed. @throws {CommandError} when it is declined */
  async confirm(question: string): Promise<void> {
    if (!this.isTerminal) return
    const answer = await this.ask(`${question} [y/N]`)
    if (!/^y(?:es)?$/iu.test(answer)) throw new CommandError('nothing was done')
  }

  /** Reads no further input. */
  close(): void {
    this.#reader?.close()
  }

  async #ask(question: string, { echo }: { readonly echo: boolean }): Promise<string> {
    const answer = this.isTerminal ? await this.#askPerson(question, echo) : await this.#nextLine()
    if (answer === undefined) throw new CommandError(`nothing was entered for "${question}"`)
    return answer
  }

  async #askPerson(question: string, echo: boolean): Promise<string | undefined> {
    const { input, output } = this.#streams
    const asked = `${printable(question)}: `
    const shown = echo ? output : new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input, output: shown, terminal: true, historySize: 0 })
    // The question comes only now, since the terminal itself shows typed text until it is read here.
    if (!echo) output.write(asked)
    try {
      return await firstLine(lines, echo ? asked : '')
    } finally {
      lines.close()
      if (!echo) output.write('\n')
    }
  }

  async #nextLine(): Promise<string | undefined> {
    this.#reader ??= createInterface({ input: this.#streams.input, terminal: false })
    this.#lines ??= this.#reader[Symbol.asyncIterator]()
    const { value, done } = await this.#lines.next()
    return done === true ? undefined : value
  }
}

/** Returns the answer; undefined when the person ends it by Ctrl-C or Ctrl-D. */
function firstLine(lines: Interface, question: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  lines.once('close', () => resolve(undefined))
  lines.question(question, resolve)
  return promise
}
