import { readFile } from 'node:fs/promises'
import { errorCode } from '../error-text.ts'
import { ApiClient } from './api-client.ts'
import type { CommandOptions } from './command.ts'
import { parseCommandLine } from './command-line.ts'
import { COMMANDS } from './commands.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { helpText } from './help.ts'
import { Output } from './output.ts'
import { printable } from '../terminal/printable.ts'
import { Prompt } from '../terminal/prompt.ts'
import { addressText, DEFAULT_SERVER, parseServerAddress, type ServerAddress } from './server-address.ts'
import { TokenStore, tokenFile } from './token-store.ts'

/** Runs `sluice ctl` with the arguments after it, and sets the exit code of the process. */
export async function ctl(args: readonly string[]): Promise<void> {
  process.stdout.on('error', endAtClosedPipe)
  try {
    const line = parseCommandLine(args, COMMANDS)
    if (line.kind === 'help') process.stdout.write(helpText(line.topic, COMMANDS))
    else await run(line)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    process.stderr.write(`sluice ctl: ${printable(error.message)}\n`)
    process.exitCode = error.exitCode
  }
}

type CommandCall = Extract<ReturnType<typeof parseCommandLine>, { kind: 'command' }>

async function run({ command, args, options }: CommandCall): Promise<void> {
  const { env, stdin, stdout, stderr } = process
  const server = serverOf(textOf(options, 'server'), env)
  const tokens = new TokenStore(tokenFile(env))
  const name = addressText(server)
  const given = await givenToken(options, env)
  const ca = textOf(options, 'ca')
  const api = new ApiClient({
    server,
    ca: ca === undefined ? undefined : await readCertificates(ca),
    token: given ?? (await tokens.get(name)),
    keepToken: async (token) => {
      if (given === undefined) await tokens.set(name, token)
    },
  })
  const prompt = new Prompt({ input: stdin, output: stderr })
  try {
    const output = new Output(stdout, { json: options['json'] === true })
    await command.run({ api, args, options, output, prompt, tokens })
  } finally {
    prompt.close()
    await api.close()
  }
}

function serverOf(given: string | undefined, env: NodeJS.ProcessEnv): ServerAddress {
  const server = parseServerAddress(given ?? (env['SLUICE_SERVER'] || DEFAULT_SERVER))
  if (given !== undefined && server.basic !== undefined) {
    throw new UsageError('other users can read a command line: put an address with a password into SLUICE_SERVER')
  }
  return server
}

/** Ends the process when the reader has closed the pipe, as `head` does after some lines. */
function endAtClosedPipe(error: Error): void {
  if (errorCode(error) !== 'EPIPE') throw error
  process.exit()
}

/** Returns the token that the command line or the environment names. */
async function givenToken(options: CommandOptions, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const file = textOf(options, 'token-file')
  const token = file === undefined ? env['SLUICE_TOKEN'] : await readText(file)
  if (token === undefined || token.trim() === '') return undefined
  if (!/^[!-~]+$/u.test(token.trim())) throw new UsageError(`${file ?? 'SLUICE_TOKEN'} has no token`)
  return token.trim()
}

async function readCertificates(file: string): Promise<string> {
  const text = await readText(file)
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`${file} has no certificate in PEM`)
  return text
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} can't be read (${errorCode(error)})`, { cause: error })
  }
}

function textOf(options: CommandOptions, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}
