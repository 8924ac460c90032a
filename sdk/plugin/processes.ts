import type { Readable, Writable } from 'node:stream'

/** The end of a program, thread or fork: by itself with an exit code, or by a signal such as `SIGKILL`. */
export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The options that programs, threads and forks of a plugin share. */
type ProcessInit = {
  /** The object of the work, for example a stream path; operators see it. */
  readonly owner: string
  /** Ends it, as its task's end and the generation's do. */
  readonly signal?: AbortSignal
}

/** A program to run. */
export type ProgramInit = ProcessInit & {
  /** A name that is looked for in `PATH`, or a path. No shell sees it, nor the arguments. */
  readonly command: string
  readonly args: readonly string[]
  /** The number of outputs besides stdout, as file descriptors 3, 4 and so on (`pipe:3` for ffmpeg); default 0. */
  readonly outputs?: number
}

/** A running program. */
export interface Program {
  /** The program's input. Writes that come after its end are dropped; {@link Program.done} resolves at the end. */
  readonly stdin: Writable
  /** The program's output. It has to be read, or the program comes to a stand. */
  readonly stdout: Readable
  /** The outputs that `ProgramInit.outputs` asked for, from file descriptor 3 on. Each has to be read, too. */
  readonly outputs: readonly Readable[]
  /** Resolves at the end of the program; never rejects. */
  readonly done: Promise<ProcessEnd>
}

/** A module to run in a thread or process of its own. */
export type ModuleInit = ProcessInit & {
  /** The module, as `new URL('./job.ts', import.meta.url)`. Its default export is called with a {@link ModulePort}. */
  readonly module: URL
  /** The module's `data`; a value that the structured clone algorithm takes. */
  readonly data?: unknown
}

/**
 * The plugin's side of a thread or fork. Messages are values that the structured clone algorithm takes, and are copied. A
 * `Buffer` arrives as a `Uint8Array` in a thread, and as a `Buffer` in a fork.
 */
export interface ModuleProcess {
  /**
   * Sends a message; nothing once the module has ended (see `done`).
   * @param transfer memory of the message that a thread gets instead of a copy: it is empty here then. A fork gets copies of
   *   that, too
   * @throws {DOMException} `DataCloneError` for memory that can't be copied or given away, such as memory that was given away
   *   before or is of Node's pool of small buffers
   */
  send(message: unknown, transfer?: readonly ArrayBuffer[]): void
  /** Calls `listener` with each message of the module. Its errors are logged. */
  onMessage(listener: (message: unknown) => void): void
  /** Resolves at the end of the module; never rejects. An error of the module is logged with the plugin's name. */
  readonly done: Promise<ProcessEnd>
}

/** The module's side of a thread or fork. It goes on as long as it listens or works. */
export type ModulePort = {
  readonly data: unknown
  /** Sends a message as {@link ModuleProcess.send} does; a fork sends copies. */
  readonly send: (message: unknown, transfer?: readonly ArrayBuffer[]) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
}

/**
 * Programs, threads and processes of a plugin. Each is a task, which operators see and stop. They end with the generation,
 * which they do not keep alive: a replaced one has them until its sessions are over. A program or fork is asked to end
 * (`SIGTERM`), and killed (`SIGKILL`) 0.7 s later, with all processes that it has started itself; the same happens where the
 * server itself is killed, but for Windows.
 */
export interface Processes {
  /**
   * Runs a program. The lines of its stderr are logged at level `debug`, the last of them where it fails; variables of
   * the environment that set the server's config (`SLUICE_…`) are kept from it.
   * @throws {ProgramMissing} naming the program, when it is not there or can't be run
   */
  spawn(init: ProgramInit): Promise<Program>
  /** Runs a module in a thread: for work that would hold up the server. It can import `sluice/sdk`. */
  thread(init: ModuleInit): ModuleProcess
  /** Runs a module in a process of its own: for code that may crash. It can import `sluice/sdk`. */
  fork(init: ModuleInit): ModuleProcess
}
