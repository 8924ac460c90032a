import { isatty } from 'node:tty'
import { Writable } from 'node:stream'
import type { Logger } from 'pino'
import { LineOutput } from './line-output.ts'
import { openDevice } from './output-device.ts'

/** At its end, the process waits so long for somebody to read what is left of stdout, and then of stderr. */
const FLUSH_MS = 500

let outputs: { readonly stdout: LineOutput; readonly stderr: LineOutput } | undefined

/** The outputs of this thread to the process's stdout and stderr. */
export function standardOutputs(): { readonly stdout: LineOutput; readonly stderr: LineOutput } {
  return (outputs ??= {
    stdout: new LineOutput({ open: () => openDevice(1) }),
    stderr: new LineOutput({ open: () => openDevice(2) }),
  })
}

/**
 * Leads all that this process and its threads write to `process.stdout`, `process.stderr` and the console, and what Node warns of,
 * by outputs that hold up nobody. Node's own streams wait for a terminal, keep what nobody reads without a bound, and
 * end the process when a disk is full.
 */
export function guardStandardStreams(log: Logger): void {
  const { stdout, stderr } = standardOutputs()
  const tell = (lines: number) => log.warn({ lines }, 'lines of the log were dropped: nobody took them')
  stdout.onGap = tell
  stderr.onGap = tell
  replaceStream('stdout', 1, stdout)
  replaceStream('stderr', 2, stderr)
  process.on('exit', () => {
    stdout.flush(FLUSH_MS)
    stderr.flush(FLUSH_MS)
  })
  // There is no listener where the command line or the environment wants no warnings.
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    // Users can do nothing about what the server itself uses of Node.
    if (name !== 'ExperimentalWarning') log.warn({ warning: name }, message)
  })
}

function replaceStream(name: 'stdout' | 'stderr', fd: 1 | 2, output: LineOutput): void {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      output.write(chunk.toString())
      done()
    },
  })
  // Of a pipe, the stream is better not made: it makes that non-blocking for all who write to it.
  const value = isatty(fd) ? Object.assign(stream, terminalTraits(process[name])) : stream
  Object.defineProperty(process, name, { value: Object.assign(value, { fd }), configurable: true, enumerable: true })
}

/** What those ask of a stream who write to a terminal. */
function terminalTraits(terminal: NodeJS.WriteStream): object {
  const { columns, rows } = terminal
  const getColorDepth = (env?: object) => terminal.getColorDepth(env)
  return { isTTY: true, columns, rows, getColorDepth, hasColors: () => terminal.hasColors() }
}
