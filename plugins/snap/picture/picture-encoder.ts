import { ProgramMissing, runProgram, SluiceError, WorkQueue, type AccessUnit, type PluginContext } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { canFollow, codedPictures, isKeyframe, type CodedPictures } from './coded-pictures.ts'
import { splitJpegs } from './jpeg-stream.ts'

/** The most ffmpegs that run at a time. */
const MAX_PROGRAMS = 2
/** The most pictures that wait for one, besides those of batches. */
const MAX_WAITING = 16
/** The longest that an ffmpeg may take, besides a time for each picture; it is then ended. */
const DEADLINE_MS = 15_000
const DEADLINE_PER_PICTURE_MS = 2000
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

/** A picture can't be decoded (`NO_PICTURE`, 500). */
class NoPicture extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('NO_PICTURE', 500, message, options)
  }
}

/** The options of {@link PictureEncoder.encode}. */
export type EncodeOptions = {
  /** The owner of the program, as operators see it. */
  readonly owner: string
  /** A filter of ffmpeg; see `watermarkFilter`. */
  readonly filter?: string | undefined
  /** True to wait for a turn however many others wait: for batches, which are few. Default false. */
  readonly isPatient?: boolean
  readonly signal?: AbortSignal | undefined
}

type EncoderContext = {
  readonly processes: PluginContext<unknown>['processes']
  readonly log: PluginContext<unknown>['log']
  readonly config: { readonly ffmpegpath: string }
}

type Keyframe = Parameters<typeof canFollow>[0]

/** Makes JPEGs of keyframes; one ffmpeg decodes all those that it can read one after the other. */
export class PictureEncoder {
  readonly #ctx: EncoderContext
  readonly #queue = new WorkQueue({
    working: MAX_PROGRAMS,
    waiting: MAX_WAITING,
    refusal: 'too many pictures are wanted at a time; try again',
  })
  #isMissingTold = false

  constructor(ctx: EncoderContext) {
    this.#ctx = ctx
  }

  /**
   * Makes a JPEG of one keyframe.
   * @throws {NoPicture} when it can't be decoded
   * @throws {ProgramMissing} when there is no ffmpeg, and it has to be decoded
   * @throws {StreamUnavailable} when too many pictures wait
   */
  async encode(unit: AccessUnit, options: EncodeOptions): Promise<Buffer> {
    const [picture] = await this.encodeAll([unit], options)
    if (picture === undefined) throw new NoPicture('the picture can not be decoded')
    return picture
  }

  /**
   * Makes a JPEG of each keyframe, in their order; undefined for those that can't be decoded.
   * @throws as `encode`
   */
  async encodeAll(units: readonly AccessUnit[], options: EncodeOptions): Promise<(Buffer | undefined)[]> {
    const pictures: (Buffer | undefined)[] = []
    for (const run of runsOf(units)) {
      if (run[0]?.track.codec === 'mjpeg' && options.filter === undefined) pictures.push(...run.map(({ data }) => data))
      else pictures.push(...(await this.#run(run, options)))
    }
    return pictures
  }

  /** @param run keyframes that can each follow the one before */
  async #run(run: readonly Keyframe[], options: EncodeOptions): Promise<(Buffer | undefined)[]> {
    const { isPatient = false, signal } = options
    const made = await this.#queue.run(() => this.#decode(run, options), { isPatient, signal })
    if (made.length === run.length || run.length === 1) return made
    // The missing ones are not known, so each keyframe is decoded on its own.
    const pictures: (Buffer | undefined)[] = []
    for (const keyframe of run) {
      const [picture] = await this.#queue.run(() => this.#decode([keyframe], options), { isPatient, signal })
      pictures.push(picture)
    }
    return pictures
  }

  async #decode(run: readonly Keyframe[], options: EncodeOptions): Promise<Buffer[]> {
    const late = AbortSignal.timeout(DEADLINE_MS + run.length * DEADLINE_PER_PICTURE_MS)
    const signal = AbortSignal.any(options.signal === undefined ? [late] : [late, options.signal])
    try {
      const output = await this.#runProgram(codedPictures(run), { ...options, signal })
      signal.throwIfAborted()
      return splitJpegs(output)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (late.aborted) throw new NoPicture('decoding the picture took too long', { cause: error })
      // ffmpeg has failed in the middle: the pictures before that are discarded.
      if (error instanceof MalformedError || error instanceof RangeError) return []
      throw error
    }
  }

  /** Runs ffmpeg, and returns its whole output. */
  async #runProgram({ format, bytes }: CodedPictures, { owner, filter, signal }: EncodeOptions): Promise<Buffer> {
    const { processes, config } = this.#ctx
    const filters = filter === undefined ? [] : ['-vf', filter]
    const args = [
      '-v',
      'error',
      '-nostdin',
      '-protocol_whitelist',
      'pipe',
      '-threads',
      '1',
      '-flags',
      'output_corrupt',
      '-f',
      format,
      '-i',
      'pipe:0',
      '-map',
      '0:v:0',
      ...filters,
      '-fps_mode',
      'passthrough',
      '-threads',
      '1',
      '-c:v',
      'mjpeg',
      '-pix_fmt',
      'yuvj420p',
      '-q:v',
      '2',
      '-f',
      'image2pipe',
      'pipe:1',
    ]
    try {
      const { output } = await runProgram(processes, {
        command: config.ffmpegpath,
        args,
        owner,
        input: bytes,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        ...(signal && { signal }),
      })
      return output
    } catch (error) {
      if (error instanceof ProgramMissing) this.#tellMissing(error)
      throw error
    }
  }

  #tellMissing({ message }: ProgramMissing): void {
    if (this.#isMissingTold) return
    this.#isMissingTold = true
    this.#ctx.log.warn(`no pictures are made: ${message}: install ffmpeg, or name it in 'snap: ffmpegpath'`)
  }
}

/** @throws {NoPicture} when a unit is no picture at which a decoder can start */
function runsOf(units: readonly AccessUnit[]): Keyframe[][] {
  const runs: Keyframe[][] = []
  for (const unit of units) {
    if (!isKeyframe(unit)) throw new NoPicture('this is no keyframe')
    const run = runs.at(-1)
    const former = run?.at(-1)
    if (run !== undefined && former !== undefined && canFollow(former, unit)) run.push(unit)
    else runs.push([unit])
  }
  return runs
}
