import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { errorCode } from '../error-text.ts'
import { CommandError } from '../command-error.ts'

type Tokens = Readonly<Record<string, string>>

/** Returns the path of the file with the tokens of logins (XDG Base Directory Specification). */
export function tokenFile(env: NodeJS.ProcessEnv): string {
  const configFolder = env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config')
  return path.join(configFolder, 'sluice', 'tokens.json')
}

/** The tokens of logins, one for each server, in a file that only its user can read. */
export class TokenStore {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Returns the token for a server, by its address. @throws {CommandError} when the file can't be read */
  async get(server: string): Promise<string | undefined> {
    const tokens = await this.#read()
    return Object.hasOwn(tokens, server) ? tokens[server] : undefined
  }

  /** @throws {CommandError} when the file can't be read or written */
  async set(server: string, token: string): Promise<void> {
    await this.#write({ ...(await this.#read()), [server]: token })
  }

  /** Removes the token for a server; returns true when there was one. @throws {CommandError} when the file can't be read or written */
  async remove(server: string): Promise<boolean> {
    const { [server]: removed, ...others } = await this.#read()
    if (removed === undefined) return false
    await this.#write(others)
    return true
  }

  async #read(): Promise<Tokens> {
    try {
      return parseTokens(await readFile(this.#file, 'utf8'))
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return {}
      throw new CommandError(`${this.#file} can't be read; remove it and log in again`, { cause: error })
    }
  }

  /** Replaces the file at once: a reader gets either the former file or the new one. */
  async #write(tokens: Tokens): Promise<void> {
    const draft = `${this.#file}.${process.pid}`
    try {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 })
      await rm(draft, { force: true })
      await writeFile(draft, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
      await rename(draft, this.#file)
    } catch (error) {
      await rm(draft, { force: true })
      throw new CommandError(`${this.#file} can't be written (${errorCode(error)})`, { cause: error })
    }
  }
}

/** @throws {Error} when the text is no JSON object of texts */
function parseTokens(text: string): Tokens {
  const json: unknown = JSON.parse(text)
  if (typeof json !== 'object' || json === null || Object.values(json).some((token) => typeof token !== 'string')) {
    throw new Error('not an object of tokens')
  }
  return json as Tokens
}
