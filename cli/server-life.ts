import type { Logger } from 'pino'
import type { Lifecycle } from '../core/admin/system/lifecycle-operations.ts'
import { ConfigError } from '../core/config/config-error.ts'
import type { Config } from '../core/config/config.ts'
import { MODIFICATION_PLACE } from '../core/config/modifications.ts'
import { ListenError } from '../core/net/listen-error.ts'
import { LOAD_PATIENCE_MS, STOP_DEADLINE_MS, type Server } from '../core/server.ts'

const EXIT_FAILURE = 1
/** The time limit for a server to stop for a restart. After it, the process ends, so that a supervisor starts it anew. */
const RESTART_DEADLINE_MS = 10_000

type ServerLifeOptions = {
  readonly log: Logger
  /** @throws {ConfigError} */
  readonly loadConfig: () => Promise<Config>
  readonly createServer: (config: Config, lifecycle: Lifecycle) => Server
  /** Called each time a server is up. */
  readonly onStarted: (server: Server) => void
  /** Ends the process. */
  readonly exit: (code: number) => void
}

/** A server that has not started, and its config. */
type Prepared = { readonly config: Config; readonly server: Server }

/**
 * The servers of a process, one after another: a restart stops the one that runs and starts another in its place, in the
 * same process, so that it works under every supervisor and without one.
 */
export class ServerLife implements Lifecycle {
  readonly #options: ServerLifeOptions
  #server: Server | undefined
  /** Settles when the server has started, or could not. */
  #started: Promise<void> = Promise.resolve()
  /** The server that will take its place. */
  #next: Promise<Prepared> | undefined
  #isReplacing = false
  #isEnding = false

  constructor(options: ServerLifeOptions) {
    this.#options = options
  }

  /** Starts the first server; one that can't start ends the process. */
  async start(config: Config): Promise<void> {
    this.#started = this.#run({ config, server: this.#options.createServer(config, this) })
    await this.#started
  }

  /** Stops the server and ends the process, after {@link STOP_DEADLINE_MS} at the latest; the first reason counts. */
  end(reason: string, exitCode: number): void {
    if (this.#isEnding) return
    this.#isEnding = true
    const { exit } = this.#options
    setTimeout(() => exit(exitCode), STOP_DEADLINE_MS).unref()
    void Promise.resolve(this.#server?.stop(reason)).then(() => exit(exitCode))
  }

  async restart(): Promise<void> {
    this.#next ??= this.#prepare()
    try {
      const next = await this.#next
      // The answer to the caller is sent first.
      setImmediate(() => void this.#replace(next))
    } catch (error) {
      this.#next = undefined
      throw error
    }
  }

  shutdown(): void {
    setImmediate(() => this.end('shutdown', 0))
  }

  /** Creates a server of the present config and plugins, and finds their errors. */
  async #prepare(): Promise<Prepared> {
    const { loadConfig, createServer } = this.#options
    const config = await loadConfig()
    const server = createServer(config, this)
    try {
      await server.loadPlugins(LOAD_PATIENCE_MS)
      return { config, server }
    } catch (error) {
      await server.stop('the config is wrong')
      throw error
    }
  }

  async #replace(next: Prepared): Promise<void> {
    if (this.#isReplacing || this.#isEnding) return
    this.#isReplacing = true
    await this.#started
    const { log, exit } = this.#options
    const late = setTimeout(() => {
      log.fatal(`the server did not stop within ${RESTART_DEADLINE_MS} ms; the process ends`)
      exit(EXIT_FAILURE)
    }, RESTART_DEADLINE_MS)
    await this.#server?.stop('restart')
    clearTimeout(late)
    this.#next = undefined
    this.#isReplacing = false
    if (this.#isEnding) return
    this.#started = this.#run(next)
  }

  async #run({ config, server }: Prepared): Promise<void> {
    this.#server = server
    this.#options.log.level = config.global.loglevel
    try {
      await server.start()
      this.#options.onStarted(server)
    } catch (error) {
      if (this.#isEnding) return
      this.#tell(error)
      this.end('start failed', EXIT_FAILURE)
    }
  }

  /** Reports the error of a start: as text when a person has to mend the config, in the log otherwise. */
  #tell(error: unknown): void {
    const { log } = this.#options
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n${resetHint(error)}`)
    else if (error instanceof ListenError) log.fatal(error.message)
    else log.fatal({ err: error }, 'the server could not start')
  }
}

/** Returns advice about values that were set at run time, which can't be mended in the file. */
function resetHint({ problems }: ConfigError): string {
  const isModified = problems.some(({ file }) => file === MODIFICATION_PLACE)
  return isModified ? "'sluice reset SECTION.KEY' takes back what was set at run time\n" : ''
}
