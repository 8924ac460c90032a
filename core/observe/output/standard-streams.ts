import { isatty } from 'node:tty'
import { Writable } from 'node:stream'
import type { Logger } from 'pino'
import { LineOutput } from './line-output.ts'
import { openDevice } from './output-device.ts'

/** The longest time that the process waits at its end until the rest of stdout has been read, and then of stderr. */
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
 * Replaces `process.stdout`, `process.stderr` and the console of this process and its threads by outputs that never block,
 * and logs the warnings of Node. Node's own streams block on a terminal, buffer unread data without limit, and end the
 * process when a disk is full.
 */
export function guardStandardStreams(log: Logger): void {
  const { stdout, stderr } = standardOutputs()
  const reportGap = (lines: number) => log.warn({ lines }, 'lines of the log were dropped: nobody took them')
  stdout.onGap = reportGap
  stderr.onGap = reportGap
  replaceStream('stdout', 1, stdout)
  replaceStream('stderr', 2, stderr)
  process.on('exit', () => {
    stdout.flush(FLUSH_MS)
    stderr.flush(FLUSH_MS)
  })
  // There is no listener when the command line or the environment switches warnings off.
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    // Users can do nothing about the server's use of experimental features.
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
  // For a pipe, Node's own stream must not be made: it would make the pipe non-blocking for all processes that write to it.
  const value = isatty(fd) ? Object.assign(stream, terminalTraits(process[name])) : stream
  Object.defineProperty(process, name, { value: Object.assign(value, { fd }), configurable: true, enumerable: true })
}

/** The properties of a stream that programs check before they write to a terminal. */
function terminalTraits(terminal: NodeJS.WriteStream): object {
  const { columns, rows } = terminal
  const getColorDepth = (env?: object) => terminal.getColorDepth(env)
  return { isTTY: true, columns, rows, getColorDepth, hasColors: () => terminal.hasColors() }
}
