import type { Logger } from 'pino'
import {
  FileBytes,
  maskUrl,
  PacedPlayer,
  type CloseReason,
  type PluginContext,
  type Publisher,
  type PublishOptions,
  type PullEnd,
  type PullRequest,
  type RecordingBytes,
} from 'sluice/sdk'
import { FlvRecording } from './flv-recording.ts'
import { HttpBytes } from './http-bytes.ts'
import { lastTagMs } from './last-tag.ts'
import { LiveSource } from './live-source.ts'
import { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'

/** From the request to the first tag, redirects included. */
const START_TIMEOUT_MS = 30_000

export type FlvPullOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'publish'>
  readonly log: Logger
  readonly request: PullRequest
  /** From the request to the first tag. Default 30 s. */
  readonly startTimeoutMs?: number
}

/** What has been opened, and plays into a publisher until it ends or fails. */
type Source = { readonly options: PublishOptions; play(publisher: Publisher): Promise<void> }

/** Offers to pull streams by HTTP-FLV and WS-FLV, and to play FLV files; the definition names `pull:flv` in its `provides`. */
export function registerPull({ services, streams, log }: PluginContext<unknown>): void {
  services.provide('pull:flv', {
    endings: ['.flv'],
    files: ['.flv'],
    async pull(request) {
      const { session, url } = request
      const child = log.child({ stream: session.streamPath, source: maskUrl(url) })
      return new FlvPull({ streams, log: child, request }).run()
    },
  })
}

/** Pulls one source, from the first request to its end. */
export class FlvPull {
  readonly #options: FlvPullOptions
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  #bytes: RecordingBytes | undefined

  constructor(options: FlvPullOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.request.signal, this.#stop.signal])
  }

  /** See `PullService.pull`. */
  async run(): Promise<PullEnd> {
    const { request } = this.#options
    let closed: CloseReason | undefined
    let publisher: Publisher | undefined
    try {
      const source = await this.#open()
      publisher = await this.#publish(source)
      publisher.onClose((reason) => {
        closed = reason
        this.#stop.abort()
      })
      await Promise.race([source.play(publisher), aborted(this.#signal)])
      return closed === undefined ? { by: 'source' } : { by: 'server', reason: closed }
    } catch (error) {
      if (closed === undefined || request.signal.aborted) throw error
      return { by: 'server', reason: closed }
    } finally {
      this.#stop.abort()
      publisher?.close('the pull has ended')
      await this.#bytes?.close()
    }
  }

  #publish({ options }: Source): Promise<Publisher> {
    const { streams, request } = this.#options
    request.step('publish')
    return streams.publish(request.session, { ...request.options, ...options })
  }

  async #open(): Promise<Source> {
    const { startTimeoutMs = START_TIMEOUT_MS } = this.#options
    const late = new SourceError(`no FLV came within ${startTimeoutMs / 1000} s`)
    const timer = setTimeout(() => this.#stop.abort(late), startTimeoutMs)
    try {
      return await Promise.race([this.#openSource(), aborted(this.#signal)])
    } finally {
      clearTimeout(timer)
    }
  }

  async #openSource(): Promise<Source> {
    const { log, request } = this.#options
    const { file, url, header, dial } = request
    if (file !== undefined) return this.#openFile(file)
    const client = new SourceClient({ url, header, dial, signal: this.#signal })
    if (client.isWebSocket) return LiveSource.open(await client.openWebSocket(), log)
    const answer = await client.get()
    const { body, sizeBytes, contentType } = answer
    request.step('header', 'the beginning of the FLV')
    if (sizeBytes === undefined) {
      return LiveSource.open({ chunks: body, end: () => 'the source has ended', contentType }, log)
    }
    return this.#openRecording(new HttpBytes(client, answer, sizeBytes))
  }

  async #openFile(file: string): Promise<Source> {
    try {
      const bytes = await FileBytes.open(file)
      this.#bytes = bytes
      // Whoever waited for this may be gone.
      if (this.#signal.aborted) await bytes.close()
      this.#signal.throwIfAborted()
      return await this.#openRecording(bytes, await lastTagMs(bytes))
    } catch (error) {
      if (error instanceof SourceError || this.#signal.aborted) throw error
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
      throw new SourceError(`the file can't be read: ${code}`, { cause: error })
    }
  }

  async #openRecording(bytes: RecordingBytes, lastMs?: number): Promise<Source> {
    this.#bytes = bytes
    const { log, request } = this.#options
    const recording = await FlvRecording.open({ bytes, log, lastTagMs: lastMs })
    const player = new PacedPlayer(recording, { loop: request.loop })
    return {
      options: { control: player },
      play(publisher) {
        publisher.setMetadata(describing(recording.metadata ?? {}))
        return player.play(publisher)
      },
    }
  }
}

/** Metadata without its index and what else has parts. */
function describing(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const plain = ['string', 'number', 'boolean']
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => plain.includes(typeof value)))
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const fail = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  if (signal.aborted) fail()
  else signal.addEventListener('abort', fail, { once: true })
  return promise
}
