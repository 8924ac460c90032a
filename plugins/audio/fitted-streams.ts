import {
  StreamUnavailable,
  type AcceptedCodecs,
  type PluginContext,
  type Publisher,
  type StreamInfo,
  type Subscriber,
} from 'sluice/sdk'
import { canCarryInTs, mainTracks } from 'sluice/sdk/media'
import type { AudioConfig } from './config.ts'
import { FittedStream } from './fitted-stream.ts'
import { targetFor, type Target } from './target.ts'

export const PLUGIN_NAME = 'audio'
/** The time in which the player that asked for the stream has to subscribe. */
const FIRST_PLAYER_MS = 10_000

const OWN_CLIENT = { ip: '', port: 0, userAgent: '' }

/** The streams with encoded audio, for players that can't play the original codec: one for each origin and codec. */
export class FittedStreams {
  readonly #ctx: PluginContext<AudioConfig>
  /** The streams that run or are about to, by path. */
  readonly #running = new Map<string, Promise<void>>()

  constructor(ctx: PluginContext<AudioConfig>) {
    this.#ctx = ctx
  }

  /** Makes streams on demand from now on. */
  tap(): void {
    this.#ctx.hooks.on('adapt', (stream, accepts) => this.#adapt(stream, accepts))
  }

  /**
   * Returns the path of the stream with audio that a player can play; undefined when the original suits, or none can be made.
   * @throws {StreamUnavailable} when too many are made already
   * @throws {ProgramMissing} when there is no ffmpeg
   */
  async #adapt({ path, tracks }: StreamInfo, accepts: AcceptedCodecs): Promise<string | undefined> {
    const target = targetFor(accepts)
    const sound = mainTracks(tracks).find(({ kind }) => kind === 'audio')
    // A player that can't play the video gains nothing by other audio.
    if (target === undefined || sound === undefined || !canCarryInTs(sound)) return undefined
    if (accepts.audio?.some((codec) => codec === sound.codec) === true) return undefined
    const fittedPath = `${path}~${target}`
    const { streams } = this.#ctx
    const present = streams.get(fittedPath)
    // A stream that a client publishes by this name is not the one that was asked for.
    if (present !== undefined && (present.pluginName !== PLUGIN_NAME || present.type !== 'transform')) {
      throw new StreamUnavailable(`somebody else publishes ${fittedPath}`)
    }
    // The generation before this one may have made the stream.
    await (this.#running.get(fittedPath) ?? (present === undefined && this.#begin(path, fittedPath, target)))
    return fittedPath
  }

  async #begin(path: string, fittedPath: string, target: Target): Promise<void> {
    const { maxencoders } = this.#ctx.config
    if (this.#running.size >= maxencoders) {
      throw new StreamUnavailable(`the sound of no more than ${maxencoders} streams is encoded at a time (maxencoders)`)
    }
    const begun = this.#make(path, fittedPath, target)
    this.#running.set(fittedPath, begun)
    try {
      await begun
    } catch (error) {
      this.#running.delete(fittedPath)
      throw error
    }
  }

  async #make(path: string, fittedPath: string, target: Target): Promise<void> {
    const ctx = this.#ctx
    const own = { type: 'transform', url: '', query: '', client: OWN_CLIENT } as const
    let subscriber: Subscriber | undefined
    let publisher: Publisher | undefined
    try {
      const source = await ctx.streams.subscribe({ ...own, streamPath: path })
      subscriber = source
      // The stream lives as long as its players and its origin: neither silence nor a pause ends it.
      const { stopdelay } = ctx.config
      const lasting = { publishtimeout: 0, pausetimeout: 0, continuepushtimeout: 0, buffertime: 0 }
      const config = { ...lasting, delayclosetimeout: Math.max(1, stopdelay), idletimeout: FIRST_PLAYER_MS }
      const control = { requestKeyframe: () => source.requestKeyframe() }
      publisher = await ctx.streams.publish({ ...own, streamPath: fittedPath }, { config, control })
      publisher.onClose(() => this.#running.delete(fittedPath))
      await FittedStream.begin({ ctx, target, subscriber: source, publisher })
    } catch (error) {
      publisher?.close('the sound can not be encoded')
      subscriber?.close()
      throw error
    }
  }
}
