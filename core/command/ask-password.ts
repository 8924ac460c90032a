import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from './login-database.ts'

/** More than any password has; what comes after it is not read. */
const MAX_INPUT_BYTES = 4096

/**
 * The password that a person types twice at the terminal, which does not show it; where standard input is no terminal, its
 * first line.
 * @throws {CommandError} when there is none, or the two differ
 */
export async function askPassword(): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return firstLine(stdin)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 })
  try {
    const password = await typed(terminal, 'Password: ')
    if ((await typed(terminal, 'Again: ')) !== password) throw new CommandError('the two differ; nothing was changed')
    return password
  } finally {
    terminal.close()
  }
}

async function typed(terminal: Interface, prompt: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const leave = () => reject(new CommandError('no password; nothing was changed'))
  terminal.once('line', resolve).once('SIGINT', leave).once('close', leave)
  process.stderr.write(prompt)
  try {
    return await promise
  } finally {
    terminal.off('SIGINT', leave).off('close', leave)
    process.stderr.write('\n')
  }
}

async function firstLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    text += chunk.toString()
    if (text.includes('\n') || text.length > MAX_INPUT_BYTES) break
  }
  const [line = ''] = text.split(/\r?\n/u, 1)
  if (line === '') throw new CommandError('no password on standard input; nothing was changed')
  return line
}
