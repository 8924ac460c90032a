import { StreamExists, StreamNotFound, StreamUnavailable, type PluginContext } from 'sluice/sdk'
import type { SeiMessage } from 'sluice/sdk/media'
import type { SeiConfig } from './config.ts'
import { checkPictures, DerivedStream } from './derived-stream.ts'

export const PLUGIN_NAME = 'sei'
/** The most streams at a time. */
const MAX_STREAMS = 1000
const OWN_SESSION = { type: 'transform', url: '', query: '', client: { ip: '', port: 0, userAgent: '' } } as const
/** The stream lives as long as its source and its use: neither silence nor a pause ends it. */
const LASTING = {
  publishtimeout: 0,
  pausetimeout: 0,
  idletimeout: 0,
  delayclosetimeout: 0,
  continuepushtimeout: 0,
  buffertime: 0,
}

/** The state of a stream that all generations share: plain data. */
type Derivation = {
  readonly sourcePath: string
  /** The messages for the next picture, whichever generation writes it. */
  readonly pending: SeiMessage[]
}

type Running = { readonly derivation: Derivation; readonly begun: Promise<DerivedStream> }

/** The streams with messages, by the paths at which they are published. */
export class DerivedStreams {
  readonly #ctx: PluginContext<SeiConfig>
  readonly #derivations: Map<string, Derivation>
  /** The streams of this generation that run or are about to. */
  readonly #running = new Map<string, Running>()

  constructor(ctx: PluginContext<SeiConfig>) {
    this.#ctx = ctx
    this.#derivations = ctx.keep('derivations', () => new Map<string, Derivation>())
    ctx.hooks.on('unsubscribed', ({ sourcePath }) => this.#each([sourcePath], (stream) => stream.touch()))
    // Streams that the next generation has not taken over by then would keep this one running.
    ctx.onDrain(() => this.#each([...this.#running.keys()], (stream) => stream.close('the plugin has been replaced')))
  }

  /**
   * Queues a message for the next picture of the stream derived from `sourcePath`, which begins with the first message.
   * @throws {StreamNotFound} when the source has no publisher
   * @throws {StreamExists} when the target is another stream
   * @throws {Unsupported} when the codec has no messages
   * @throws {StreamUnavailable} when too many streams are derived, or too much waits
   */
  async insert(sourcePath: string, targetPath: string, message: SeiMessage): Promise<void> {
    if (this.#ctx.streams.get(sourcePath) === undefined) throw new StreamNotFound()
    const running = this.#running.get(targetPath)
    if (running !== undefined && running.derivation.sourcePath !== sourcePath) throw new StreamExists()
    const { begun } = running ?? this.#begin(targetPath, { sourcePath, pending: [] }, false)
    const stream = await begun
    stream.insert(message)
  }

  /** Takes over the streams of the former generation; their viewers go on at the next keyframe. */
  async takeOver(): Promise<void> {
    const { streams, log } = this.#ctx
    const present = [...this.#derivations].filter(([path, { sourcePath }]) => {
      return this.#isOwn(path) && streams.get(sourcePath)?.tracks.some(({ kind }) => kind === 'video') === true
    })
    const taken = present.map(async ([path, derivation]) => {
      try {
        await this.#begin(path, derivation, true).begun
      } catch (err) {
        log.warn({ err, stream: path }, 'the stream ends with the generation that has made it')
      }
    })
    await Promise.all(taken)
  }

  #begin(targetPath: string, derivation: Derivation, takesOver: boolean): Running {
    if (this.#running.size >= MAX_STREAMS) {
      throw new StreamUnavailable(`messages are inserted into no more than ${MAX_STREAMS} streams at a time`)
    }
    const running = { derivation, begun: this.#make(targetPath, derivation, takesOver) }
    this.#running.set(targetPath, running)
    running.begun.catch(() => this.#running.delete(targetPath))
    return running
  }

  async #make(targetPath: string, derivation: Derivation, takesOver: boolean): Promise<DerivedStream> {
    const ctx = this.#ctx
    const { sourcePath, pending } = derivation
    const source = await ctx.streams.subscribe({ ...OWN_SESSION, streamPath: sourcePath })
    try {
      checkPictures(sourcePath, source.tracks)
      const config = { ...LASTING, kickexist: takesOver && this.#isOwn(targetPath) }
      const control = { requestKeyframe: () => source.requestKeyframe() }
      const copy = await ctx.streams.publish({ ...OWN_SESSION, streamPath: targetPath }, { config, control })
      // A new object shows the former generation that this is no longer its own.
      const own = { ...derivation }
      this.#derivations.set(targetPath, own)
      copy.onClose(() => {
        this.#running.delete(targetPath)
        if (this.#derivations.get(targetPath) === own) this.#derivations.delete(targetPath)
      })
      const stream = new DerivedStream({ ctx, source, copy, pending })
      stream.read(takesOver)
      if (takesOver) source.requestKeyframe()
      return stream
    } catch (error) {
      source.close('no stream is made of it')
      throw error
    }
  }

  /** True when any generation of this plugin publishes a path. */
  #isOwn(path: string): boolean {
    return this.#ctx.streams.get(path)?.pluginName === PLUGIN_NAME
  }

  /** Calls `tell` for each stream as soon as it has begun. */
  #each(paths: readonly string[], tell: (stream: DerivedStream) => void): void {
    for (const path of paths) void this.#running.get(path)?.begun.then(tell, () => {})
  }
}
