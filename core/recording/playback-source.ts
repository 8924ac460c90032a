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
/** Instead of a type: the recordings of all. */
const ANY_TYPE = 'any'
/** Paths whose sources take times themselves: playbacks, and those of devices. */
const OTHER_PLAYBACK = /^(?:vod|gb)_/u
/** A playback that fails is not tried again. */
const ONCE = { loop: 0, maxretry: 0, retryinterval: 0, proxy: '', header: {}, args: {}, testmode: 0 } as const

type PlaybackSourceOptions = {
  /** The plugin that records a type; undefined where none does. */
  readonly pluginOf: (type: string) => string | undefined
  /** Opens recordings; see `Recordings.open`. */
  readonly open: (init: PlaybackInit, signal: AbortSignal) => Promise<Recording>
  /** A plugin that plays recordings of any type, by preference of its name. */
  readonly anyPlugin: (preferred: string) => string | undefined
}

/** Where the paths lead by which recordings are played. */
export class PlaybackSource implements PullSource {
  readonly #options: PlaybackSourceOptions
  #leads = 0

  constructor(options: PlaybackSourceOptions) {
    this.#options = options
  }

  /** Whether recordings are played by a path. */
  names(streamPath: string): boolean {
    return PLAYBACK_PATH.test(streamPath)
  }

  match(path: string): PullWish | undefined {
    const { type: named = '', streamPath } = PLAYBACK_PATH.exec(path)?.groups ?? {}
    if (streamPath === undefined) return undefined
    const type = named === ANY_TYPE ? undefined : named
    const { pluginOf, anyPlugin, open } = this.#options
    const plugin = type === undefined ? anyPlugin('mp4') : pluginOf(type)
    if (plugin === undefined) return undefined
    const rule: PullRule = { ...ONCE, url: `recording:${streamPath}` }
    const openRecording: PullWish['openRecording'] = (args, signal) => {
      const { startMs, endMs } = parseTimeRange(args, Date.now())
      return open({ streamPath, ...(type !== undefined && { type }), startMs, endMs }, signal)
    }
    return { plugin, streamPath: path, rule, publish: {}, args: {}, openRecording }
  }

  /**
   * Leads a viewer to recordings who asks for a stream with a time (`?start=`), at a path of its own.
   * @throws {InvalidRequest} for a time that is none: by the pull of the playback, the viewer would learn no more than that nothing is there
   */
  lead({ type, streamPath, params }: Pick<SessionRequest, 'type' | 'streamPath' | 'params'>): Lead | undefined {
    if (type !== 'server') return undefined
    const isPlayback = this.names(streamPath)
    const isAsked = params['start'] !== undefined || params['range'] !== undefined
    if (!isPlayback && (!isAsked || OTHER_PLAYBACK.test(streamPath))) return undefined
    parseTimeRange(params, Date.now())
    if (isPlayback) return undefined
    this.#leads += 1
    return { streamPath: `vod_${ANY_TYPE}_${this.#leads}/${streamPath}`, params }
  }
}
