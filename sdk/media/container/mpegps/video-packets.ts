import { MalformedError } from '../../errors.ts'
import type { ElementaryStreamOptions } from '../pes/elementary-stream.ts'
import type { PesHeader } from '../pes/header.ts'
import { VideoStream } from '../pes/video-stream.ts'
import { AccessUnitSplitter, type SplitCodec } from './access-unit-splitter.ts'

/** The packets of one stream id with pictures: a track of the codec that its parameter sets show. */
export class PsVideoPackets {
  readonly #options: ElementaryStreamOptions
  readonly #splitter: AccessUnitSplitter
  #stream: VideoStream | undefined
  /** True when a packet has had a time: those without go on from the one before. */
  #hasTimes = false

  constructor(options: ElementaryStreamOptions) {
    this.#options = options
    this.#splitter = new AccessUnitSplitter({
      onCodec: (codec) => this.#open(codec),
      onUnit: (data, pts, dts) => this.#write(data, pts, dts),
      onLost: () => this.#stream?.lost(),
    })
  }

  /** @param clock the time of the pack, which counts where no packet has a time */
  packet({ pts, dts }: PesHeader, clock: number | undefined): void {
    if (pts !== undefined) this.#hasTimes = true
    this.#splitter.packet(this.#hasTimes ? pts : clock, dts)
  }

  data(bytes: Buffer): void {
    this.#splitter.push(bytes)
  }

  packetEnd(): void {}

  unitEnds(): void {
    this.#splitter.unitEnds()
  }

  lost(): void {
    this.#splitter.restart()
    this.#stream?.interrupt()
    this.#stream?.lost()
  }

  flush(): void {
    this.#splitter.flush()
  }

  end(): void {
    this.flush()
    this.#stream?.end()
    this.#stream = undefined
  }

  #open(codec: SplitCodec): void {
    this.#stream?.end()
    this.#stream = new VideoStream(codec, this.#options)
  }

  #write(data: Buffer, pts: number | undefined, dts: number | undefined): void {
    try {
      this.#stream?.write(data, pts, dts)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#options.onDrop()
    }
  }
}
