import {
  parseTimeRange,
  type Lead,
  type PlaybackInit,
  type PullRule,
  type PullSource,
  type PullWish,
  type Recording,
  type SessionRequest,
} from 'sluice/sdk'

/** A path by which one viewer plays recordings: `vod_`, their type, a number of the viewer's own choice, and the stream. */
const PLAYBACK_PATH = /^vod_(?<type>[a-z][a-z0-9-]*)_\d+\/(?<streamPath>.+)$/u
/** Stands for recordings of any type in a path. */
const ANY_TYPE = 'any'
/** The paths of playbacks and of devices, which take times themselves. */
const OTHER_PLAYBACK = /^(?:vod|gb)_/u
/** The retry policy: a playback that fails is not tried again. */
const ONCE = { loop: 0, maxretry: 0, retryinterval: 0, proxy: '', header: {}, args: {}, testmode: 0 } as const

type PlaybackSourceOptions = {
  /** Returns the plugin that records a type; undefined when none does. */
  readonly pluginOf: (type: string) => string | undefined
  /** Opens recordings; see `Recordings.open`. */
  readonly open: (init: PlaybackInit, signal: AbortSignal) => Promise<Recording>
  /** Returns the plugin that plays recordings of any type; undefined when none does. */
  readonly anyPlugin: () => string | undefined
  /** See `Kept.leads`. */
  readonly leads?: { count: number }
}

/** The source of the pulls that play recordings, at paths of the viewers' own. */
export class PlaybackSource implements PullSource {
  readonly #options: PlaybackSourceOptions
  readonly #leads: { count: number }

  constructor(options: PlaybackSourceOptions) {
    this.#options = options
    this.#leads = options.leads ?? { count: 0 }
  }

  /** Returns true for a path at which recordings are played. */
  names(streamPath: string): boolean {
    return PLAYBACK_PATH.test(streamPath)
  }

  match(path: string): PullWish | undefined {
    const { type: named = '', streamPath } = PLAYBACK_PATH.exec(path)?.groups ?? {}
    if (streamPath === undefined) return undefined
    const type = named === ANY_TYPE ? undefined : named
    const { pluginOf, anyPlugin, open } = this.#options
    const plugin = type === undefined ? anyPlugin() : pluginOf(type)
    if (plugin === undefined) return undefined
    const rule: PullRule = { ...ONCE, url: `recording:${streamPath}` }
    const openRecording: PullWish['openRecording'] = (args, signal) => {
      const { startMs, endMs } = parseTimeRange(args, Date.now())
      return open({ streamPath, ...(type !== undefined && { type }), startMs, endMs }, signal)
    }
    return { plugin, streamPath: path, rule, publish: {}, args: {}, openRecording }
  }

  /**
   * Leads a viewer that asks for a stream with a time (`?start=`) to its recordings, at a path of its own.
   * @throws {InvalidRequest} for a time that can't be parsed; the pull would only answer that there is no stream
   */
  lead({ type, streamPath, params }: Pick<SessionRequest, 'type' | 'streamPath' | 'params'>): Lead | undefined {
    if (type !== 'server') return undefined
    const isPlayback = this.names(streamPath)
    const isAsked = params['start'] !== undefined || params['range'] !== undefined
    if (!isPlayback && (!isAsked || OTHER_PLAYBACK.test(streamPath))) return undefined
    parseTimeRange(params, Date.now())
    if (isPlayback) return undefined
    this.#leads.count += 1
    return { streamPath: `vod_${ANY_TYPE}_${this.#leads.count}/${streamPath}`, params }
  }
}
