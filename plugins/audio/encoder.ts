import { PipedProgram, type AccessUnit, type AudioTrack, type Processes, type Track, type UnitSink } from 'sluice/sdk'
import { PES_TIMESCALE, rescale, TsDemuxer } from 'sluice/sdk/media'
import { encoderInput, type EncoderInput } from './encoder-input.ts'
import { encoderArguments, type Target } from './target.ts'

/** The most bytes that ffmpeg has not read yet, some seconds of sound; beyond that, frames are left out. */
const MAX_QUEUED_BYTES = 256 * 1024
/** Counters of MPEG-TS start again after 26.5 hours (ISO/IEC 13818-1 2.4.3.7); another ffmpeg takes over before. */
const MAX_RUN_TICKS = 24 * 3600 * PES_TIMESCALE

type EncoderOptions = {
  readonly processes: Processes
  readonly command: string
  readonly bitrateKbps: number
  /** The owner of the program, as operators see it. */
  readonly owner: string
  /** Ends ffmpeg. */
  readonly signal: AbortSignal
  readonly source: AudioTrack
  readonly target: Target
  /** Called with each encoded unit, in ticks of {@link PES_TIMESCALE}, at the time of the original sound. */
  readonly made: (unit: AccessUnit) => void
  /** Called with the configuration of the encoded track before its first unit, and with each new one. */
  readonly configured: (config: AudioTrack['config']) => void
}

/** One ffmpeg that encodes the sound of one track. */
export class Encoder {
  readonly #input: EncoderInput
  readonly #options: EncoderOptions
  #program: PipedProgram | undefined
  #started = false
  /** The time of the source that is 0 for ffmpeg, in ticks of {@link PES_TIMESCALE}. */
  #baseTicks: number | undefined
  #lastTicks = 0

  constructor(options: EncoderOptions) {
    this.#options = options
    this.#input = encoderInput(options.source)
  }

  /**
   * Starts ffmpeg; `done` of the returned program settles when it has ended.
   * @throws {ProgramMissing} when there is no ffmpeg
   */
  async begin(): Promise<Pick<PipedProgram, 'done'>> {
    const { processes, command, owner, signal, target, bitrateKbps } = this.#options
    const demuxer = new TsDemuxer(this.#sink())
    const args = encoderArguments(this.#input.format, target, bitrateKbps)
    // Output that is no MPEG-TS ends the program.
    const output = (bytes: Buffer) => demuxer.push(bytes)
    return (this.#program = await PipedProgram.begin(processes, { command, args, owner, signal, output }))
  }

  /** True when another ffmpeg has to take over, as the times become too large. */
  get isSpent(): boolean {
    return this.#lastTicks > MAX_RUN_TICKS
  }

  /** Encodes a unit of the track; returns false when it was left out, as ffmpeg is behind. */
  encode(unit: AccessUnit): boolean {
    const stdin = this.#program?.stdin
    if (stdin === undefined || stdin.writableLength > MAX_QUEUED_BYTES) return false
    if (!this.#started) stdin.write(this.#input.head)
    this.#started = true
    const track = this.#options.source
    const base = (this.#baseTicks ??= rescale(unit.dts, track.timescale, PES_TIMESCALE))
    const offset = rescale(base, PES_TIMESCALE, track.timescale)
    this.#lastTicks = rescale(unit.dts, track.timescale, PES_TIMESCALE) - base
    stdin.write(this.#input.mux(unit.at(track, unit.dts - offset, unit.pts - offset)))
    return true
  }

  #sink(): UnitSink {
    const { target, signal, made, configured } = this.#options
    let nextId = 0
    const isMade = (track: Pick<Track, 'codec'>) => track.codec === target && !signal.aborted
    return {
      addTrack(init) {
        if (init.kind === 'audio' && isMade(init)) configured(init.config)
        return { ...init, id: nextId++ }
      },
      configureTrack(track, config) {
        if (track.kind === 'audio' && isMade(track)) configured(config as AudioTrack['config'])
        return { ...track, config }
      },
      removeTrack() {},
      lost() {},
      write: (unit) => {
        if (!isMade(unit.track) || this.#baseTicks === undefined) return
        const ticks = rescale(unit.dts, unit.track.timescale, PES_TIMESCALE) + this.#baseTicks - this.#input.leadTicks
        made(unit.at(unit.track, ticks, ticks))
      },
    }
  }
}
