import { ApiClient } from '../../cli/ctl/api-client.ts'
import { parseCommandLine } from '../../cli/ctl/command-line.ts'
import { COMMANDS } from '../../cli/ctl/commands.ts'
import { Output } from '../../cli/ctl/output.ts'
import { parseServerAddress } from '../../cli/ctl/server-address.ts'
import { TokenStore } from '../../cli/ctl/token-store.ts'
import { Prompt } from '../../cli/terminal/prompt.ts'
import { keep } from '../peers/lifetime.ts'

/** Runs commands of `sluice ctl` within the test's process, which is quicker than a process for each. */
export class CtlRunner {
  readonly #api: ApiClient

  /**
   * @param server its address
   * @param token that of a login, where the server wants one
   */
  constructor(server: string, token?: string) {
    const keepToken = async () => {}
    this.#api = new ApiClient({ server: parseServerAddress(server), ca: undefined, token, keepToken })
    keep(this.#api)
  }

  /**
   * What a command writes where nobody reads it, as JSON.
   * @throws {CommandError} when it fails
   */
  async json(...args: readonly string[]): Promise<unknown> {
    const bytes = await this.bytes(...args)
    return bytes.length === 0 ? undefined : JSON.parse(bytes.toString())
  }

  /** The lines that a command writes to a terminal, without colours. */
  async lines(...args: readonly string[]): Promise<string[]> {
    const text = (await this.#run(args, true)).toString()
    return text.split('\n').slice(0, -1)
  }

  /** What a command writes where nobody reads it. */
  bytes(...args: readonly string[]): Promise<Buffer> {
    return this.#run(args, false)
  }

  async #run(args: readonly string[], isTTY: boolean): Promise<Buffer> {
    const line = parseCommandLine(args, COMMANDS)
    if (line.kind === 'help') throw new Error('it was asked for help')
    const written: Buffer[] = []
    const write = (data: string | Uint8Array) => written.push(Buffer.from(data as string))
    const prompt = new Prompt({ input: process.stdin, output: process.stderr })
    const context = {
      api: this.#api,
      args: line.args,
      options: line.options,
      prompt,
      tokens: new TokenStore('/dev/null'),
      output: new Output({ isTTY, columns: 200, write }, { json: false }),
    }
    await line.command.run(context)
    return Buffer.concat(written)
  }
}
