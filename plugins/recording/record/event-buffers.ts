import type { PluginContext, RecordConfig, SessionInit } from 'sluice/sdk'
import { recordingPlace, type RecordRules, type WantedRecording } from './record-rules.ts'

/** Makes streams buffer the media before events, where rules of mode `event` ask for it. */
export class EventBuffers {
  readonly #ctx: Pick<PluginContext<unknown>, 'log' | 'streams'>
  /** The buffered streams, by the place of their recordings. */
  readonly #kept = new Map<string, { readonly wanted: WantedRecording; readonly stop: AbortController }>()
  /** Promises that resolve when a stream is buffered, or can't be. */
  readonly #beginning = new Set<Promise<void>>()
  #isClosed = false

  constructor(ctx: Pick<PluginContext<unknown>, 'log' | 'streams'>) {
    this.#ctx = ctx
  }

  /** Makes a published stream buffer `beforeduration` of the plugin's section, until the stream ends. */
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

  /** Resolves when each stream that `keep` was called with so far is buffered, or can't be. */
  async begun(): Promise<void> {
    await Promise.all(this.#beginning)
  }

  /** Ends the buffers that no rule asks for any more. */
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

  /** Subscribes and reads nothing, until the stream ends: the subscription makes the stream buffer. */
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
