import type { Logger } from 'pino'
import type { RecordConfig } from 'sluice/sdk'
import type { StreamOwner } from '../auth/stream-owner.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { recordingPlace, type RecordRules, type WantedRecording } from './record-rules.ts'

type EventBuffersOptions = {
  readonly log: Logger
  readonly streams: Pick<StreamRegistry, 'subscribe'>
  readonly owner: (plugin: string) => StreamOwner | undefined
}

/** Has streams keep what events are to begin with, where rules of mode `event` say so. */
export class EventBuffers {
  readonly #options: EventBuffersOptions
  /** By place of the recordings. */
  readonly #kept = new Map<string, { readonly wanted: WantedRecording; readonly stop: AbortController }>()

  constructor(options: EventBuffersOptions) {
    this.#options = options
  }

  /** Has a stream that is published keep as much as the section of the plugin says, until it ends. */
  keep(wanted: WantedRecording, sections: ReadonlyMap<string, Pick<RecordConfig, 'beforeduration'>>): void {
    const place = recordingPlace(wanted)
    const bufferMs = sections.get(wanted.plugin)?.beforeduration ?? 0
    if (this.#kept.has(place) || bufferMs === 0) return
    const stop = new AbortController()
    this.#kept.set(place, { wanted, stop })
    void this.#subscribe(wanted, bufferMs, stop.signal).finally(() => this.#kept.delete(place))
  }

  /** Lets go what no rule asks for any more. */
  keepOnly(rules: Pick<RecordRules, 'match'>): void {
    for (const { wanted, stop } of this.#kept.values()) {
      const places = rules.match(wanted.streamPath).map(recordingPlace)
      if (!places.includes(recordingPlace(wanted))) stop.abort()
    }
  }

  close(): void {
    for (const { stop } of this.#kept.values()) stop.abort()
  }

  /** Subscribes and takes nothing, until the stream ends. */
  async #subscribe({ plugin, streamPath }: WantedRecording, bufferMs: number, signal: AbortSignal): Promise<void> {
    const owner = this.#options.owner(plugin)
    if (owner === undefined) return
    const config = { ...owner.config, subscribe: { ...owner.config.subscribe, buffertime: bufferMs } }
    const client = { ip: '', port: 0, userAgent: 'event buffer' }
    const session = { streamPath, type: 'vod' as const, url: '', query: '', client, signal, passive: true }
    const ended = Promise.withResolvers<void>()
    try {
      const subscriber = await this.#options.streams.subscribe(session, { ...owner, config }, () => {})
      const leave = () => subscriber.close('no events are recorded any more')
      subscriber.onClose(() => ended.resolve())
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      await ended.promise
    } catch (err) {
      this.#options.log.debug({ err, stream: streamPath }, 'the stream is not kept for events')
    }
  }
}
