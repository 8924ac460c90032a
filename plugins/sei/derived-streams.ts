import { StreamExists, StreamNotFound, StreamUnavailable, type PluginContext } from 'sluice/sdk'
import type { SeiMessage } from 'sluice/sdk/media'
import type { SeiConfig } from './config.ts'
import { checkPictures, DerivedStream } from './derived-stream.ts'

export const PLUGIN_NAME = 'sei'
/** Streams at a time. */
const MAX_STREAMS = 1000
const OWN_SESSION = { type: 'transform', url: '', query: '', client: { ip: '', port: 0, userAgent: '' } } as const
/** It lives as long as its source, and as it is of use: neither silence nor a pause ends it. */
const LASTING = {
  publishtimeout: 0,
  pausetimeout: 0,
  idletimeout: 0,
  delayclosetimeout: 0,
  continuepushtimeout: 0,
  buffertime: 0,
}

/** What all generations know of a stream: plain data. */
type Derivation = {
  readonly sourcePath: string
  /** What waits for the next picture, whichever generation writes it. */
  readonly pending: SeiMessage[]
}

type Running = { readonly derivation: Derivation; readonly begun: Promise<DerivedStream> }

/** The streams with messages, by the paths at which they are published. */
export class DerivedStreams {
  readonly #ctx: PluginContext<SeiConfig>
  readonly #derivations: Map<string, Derivation>
  /** Those of this generation that run or are about to. */
  readonly #running = new Map<string, Running>()

  constructor(ctx: PluginContext<SeiConfig>) {
    this.#ctx = ctx
    this.#derivations = ctx.keep('derivations', () => new Map<string, Derivation>())
    ctx.hooks.on('unsubscribed', ({ sourcePath }) => this.#each([sourcePath], (stream) => stream.touch()))
    // What the next generation has not taken over by then would keep this one for ever.
    ctx.onDrain(() => this.#each([...this.#running.keys()], (stream) => stream.close('the plugin has been replaced')))
  }

  /**
   * Has a message go into the next picture of what is made of a stream, which begins with the first message.
   * @throws {StreamNotFound} when nobody publishes the source
   * @throws {StreamExists} when the target is another stream
   * @throws {Unsupported} when the pictures can have no messages
   * @throws {StreamUnavailable} when too many streams are made, or too much waits
   */
  async insert(sourcePath: string, targetPath: string, message: SeiMessage): Promise<void> {
    if (this.#ctx.streams.get(sourcePath) === undefined) throw new StreamNotFound()
    const running = this.#running.get(targetPath)
    if (running !== undefined && running.derivation.sourcePath !== sourcePath) throw new StreamExists()
    const { begun } = running ?? this.#begin(targetPath, { sourcePath, pending: [] }, false)
    const stream = await begun
    stream.insert(message)
  }

  /** Takes over what the generation before makes, whose viewers go on at the next keyframe. */
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
      // Another object tells the generation before that this is no longer its own.
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

  /** Whether this plugin publishes a path, in whichever generation. */
  #isOwn(path: string): boolean {
    return this.#ctx.streams.get(path)?.pluginName === PLUGIN_NAME
  }

  /** Tells those that have begun, as soon as they have. */
  #each(paths: readonly string[], tell: (stream: DerivedStream) => void): void {
    for (const path of paths) void this.#running.get(path)?.begun.then(tell, () => {})
  }
}
