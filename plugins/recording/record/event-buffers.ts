import type { PluginContext, RecordConfig, SessionInit } from 'sluice/sdk'
import { recordingPlace, type RecordRules, type WantedRecording } from './record-rules.ts'

/** Has streams keep what events are to begin with, where rules of mode `event` say so. */
export class EventBuffers {
  readonly #ctx: Pick<PluginContext<unknown>, 'log' | 'streams'>
  /** The streams that are kept, by place of the recordings. */
  readonly #kept = new Map<string, { readonly wanted: WantedRecording; readonly stop: AbortController }>()
  /** Resolve when streams are kept, or can't be. */
  readonly #beginning = new Set<Promise<void>>()
  #isClosed = false

  constructor(ctx: Pick<PluginContext<unknown>, 'log' | 'streams'>) {
    this.#ctx = ctx
  }

  /** Has a stream that is published keep as much as the section of the plugin says, until it ends. */
  keep(wanted: WantedRecording, sections: ReadonlyMap<string, Pick<RecordConfig, 'beforeduration'>>): void {
    const place = recordingPlace(wanted)
    const bufferMs = sections.get(wanted.plugin)?.beforeduration ?? 0
    if (this.#kept.has(place) || bufferMs === 0 || this.#isClosed) return
    const stop = new AbortController()
    this.#kept.set(place, { wanted, stop })
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    this.#beginning.add(begun)
    void begun.then(() => this.#beginning.delete(begun))
    void this.#subscribe(wanted, bufferMs, stop.signal, resolve).finally(() => {
      resolve()
      this.#kept.delete(place)
    })
  }

  /** Resolves when all streams are kept that were asked for so far. */
  async begun(): Promise<void> {
    await Promise.all(this.#beginning)
  }

  /** Lets go what no rule asks for any more. */
  keepOnly(rules: Pick<RecordRules, 'match'>): void {
    for (const { wanted, stop } of this.#kept.values()) {
      const places = rules.match(wanted.streamPath).map(recordingPlace)
      if (!places.includes(recordingPlace(wanted))) stop.abort()
    }
  }

  close(): void {
    this.#isClosed = true
    for (const { stop } of this.#kept.values()) stop.abort()
  }

  /** Subscribes and takes nothing, until the stream ends. */
  async #subscribe(
    { plugin, streamPath }: WantedRecording,
    bufferMs: number,
    signal: AbortSignal,
    begun: () => void,
  ): Promise<void> {
    const client = { ip: '', port: 0, userAgent: 'event buffer' }
    const session: SessionInit = { streamPath, type: 'vod', url: '', query: '', client, signal, passive: true }
    const ended = Promise.withResolvers<void>()
    try {
      const subscriber = await this.#ctx.streams.subscribe(session, { plugin, config: { buffertime: bufferMs } })
      const leave = () => subscriber.close('no events are recorded any more')
      begun()
      subscriber.onClose(() => ended.resolve())
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      await ended.promise
    } catch (err) {
      this.#ctx.log.debug({ err, stream: streamPath }, 'the stream is not kept for events')
    }
  }
}
