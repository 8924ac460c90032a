import type { Readable, Writable } from 'node:stream'
import type { MuxerFormat } from '../media/muxer.ts'
import type { ProcessEnd, Processes, Program, ProgramInit } from '../plugin/processes.ts'
import type { CloseCode, CloseReason } from '../stream/close-reason.ts'
import { socketSink } from '../stream/sink.ts'
import type { Subscriber } from '../stream/subscriber.ts'

/** The ends of subscribers at which the program is ended, too: it reads nothing any more, or has no time left. */
const HASTY: ReadonlySet<CloseCode> = new Set(['slow', 'failed', 'unloaded'])

/** Takes the output of a program, in order; the next piece comes when a returned promise has settled. An error ends the program. */
export type ProgramOutput = (bytes: Buffer) => void | Promise<void>

/** A program to run, and the functions that take its output. */
export type PipedProgramInit = Omit<ProgramInit, 'outputs'> & {
  /** Takes the bytes of stdout. */
  readonly output: ProgramOutput
  /** The functions that take the bytes of file descriptors 3, 4 and so on (`pipe:3` for ffmpeg), as the rungs of a ladder; default none. */
  readonly outputs?: readonly ProgramOutput[]
}

/**
 * The end of a program, and its cause:
 *
 * | by        | what happened                                                                                |
 * | --------- | -------------------------------------------------------------------------------------------- |
 * | `program` | it ended by itself while it was fed, or was ended with its task                              |
 * | `input`   | its input was over; `reason` is that of the end of the subscriber that fed it                |
 * | `output`  | a function that takes an output has thrown `error`                                           |
 * | `server`  | `close` was called, or the signal of its init has aborted                                    |
 */
export type PipedProgramEnd = ProcessEnd & {
  readonly by: 'program' | 'input' | 'output' | 'server'
  readonly reason?: CloseReason
  readonly error?: unknown
}

/**
 * A program that reads a stream from its stdin and writes another to its stdout, as a transcoder does.
 *
 * ```ts
 * const demuxer = new TsDemuxer(publisher)
 * const program = await PipedProgram.begin(ctx.processes, {
 *   command: 'ffmpeg',
 *   args,
 *   owner: streamPath,
 *   output: (bytes) => demuxer.push(bytes),
 * })
 * program.feed(subscriber, FLV_FORMAT)
 * const { by, reason } = await program.done
 * ```
 */
export class PipedProgram {
  /** Resolves when the program has ended and all of its output was taken; never rejects. */
  readonly done: Promise<PipedProgramEnd>
  readonly #program: Program
  readonly #stop: AbortController
  readonly #signal: AbortSignal
  #reason: CloseReason | undefined

  /**
   * Runs a program.
   * @throws {ProgramMissing} naming the program, when it is not there or can't be run
   */
  static async begin(
    processes: Pick<Processes, 'spawn'>,
    { output, outputs = [], ...init }: PipedProgramInit,
  ): Promise<PipedProgram> {
    const stop = new AbortController()
    const signal = init.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, init.signal])
    const program = await processes.spawn({ ...init, signal, outputs: outputs.length })
    return new PipedProgram(program, stop, signal, [output, ...outputs])
  }

  private constructor(program: Program, stop: AbortController, signal: AbortSignal, outputs: readonly ProgramOutput[]) {
    this.#program = program
    this.#stop = stop
    this.#signal = signal
    this.done = this.#end(outputs)
  }

  /**
   * The input, for bytes from another source than {@link PipedProgram.feed}. `writableLength` is the number of bytes that the
   * program has not read.
   */
  get stdin(): Writable {
    return this.#program.stdin
  }

  /**
   * Feeds the stream of a subscriber, which skips to keyframes where the program is behind. When the subscriber ends, so does
   * the input, or the program itself where the subscriber was too slow, has failed or is unloaded; when the program ends, so
   * does the subscriber. Once, instead of writing to `stdin`.
   */
  feed(subscriber: Subscriber, format: MuxerFormat): void {
    subscriber.onClose((reason) => {
      this.#reason = reason
      if (HASTY.has(reason.code)) this.close()
      else this.stdin.end()
    })
    void this.done.then(() => subscriber.close('the program has ended'))
    subscriber.attach(format, socketSink(this.stdin))
  }

  /** Ends the program. Idempotent. */
  close(): void {
    this.#stop.abort()
  }

  async #end(outputs: readonly ProgramOutput[]): Promise<PipedProgramEnd> {
    const streams = [this.#program.stdout, ...this.#program.outputs]
    const failures = Promise.all(streams.map((stream, index) => this.#read(stream, outputs[index]!)))
    const end = await this.#program.done
    const isInputOver = this.stdin.writableEnded
    const failed = (await failures).find((failure) => failure !== undefined)
    if (failed !== undefined) return { ...end, by: 'output', ...failed }
    const reason = this.#reason === undefined ? {} : { reason: this.#reason }
    if (this.#signal.aborted) return { ...end, by: 'server', ...reason }
    return { ...end, by: isInputOver ? 'input' : 'program', ...reason }
  }

  /** Reads one output to its end; returns the error of the function that takes it. */
  async #read(stream: Readable, output: ProgramOutput): Promise<{ readonly error: unknown } | undefined> {
    try {
      for await (const bytes of stream) await output(bytes as Buffer)
      return undefined
    } catch (error) {
      this.close()
      return { error }
    }
  }
}
