import type { Logger } from 'pino'
import {
  FileBytes,
  maskUrl,
  playRecording,
  publishSource,
  untilAborted,
  type PluginContext,
  type PullEnd,
  type PullRequest,
  type RecordingBytes,
} from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import { FlvRecording, type FlvRecordingInit } from './flv-recording.ts'
import { lastTagMs } from './last-tag.ts'
import { LiveSource } from './live-source.ts'
import { SequentialBytes } from './sequential-bytes.ts'
import { SourceClient } from './source-client.ts'

/** The longest time from the request to the first tag, redirects included. */
const START_TIMEOUT_MS = 30_000
/** The time to wait for an announced track of a recording on a web server, which may send it slowly. */
const MISSING_TRACK_MS = 10_000

export type FlvPullOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'publish'>
  readonly log: Logger
  readonly request: PullRequest
  /** The longest time from the request to the first tag. Default 30 s. */
  readonly startTimeoutMs?: number
}

/** Offers to pull streams by HTTP-FLV and WS-FLV, and to play FLV files; the definition names `pull:flv` in its `provides`. */
export function registerPull({ services, streams, log }: PluginContext<unknown>): void {
  services.provide('pull:flv', {
    endings: ['.flv'],
    files: ['.flv'],
    async pull(request) {
      const { session, url, recording } = request
      if (recording !== undefined) return playRecording(streams, request, recording)
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
    const { streams, request } = this.#options
    try {
      const source = await this.#open()
      if (source instanceof FlvRecording) return await playRecording(streams, request, source)
      return await publishSource(streams, request, source.options, (publisher) => source.play(publisher))
    } finally {
      this.#stop.abort()
      await this.#bytes?.close()
    }
  }

  async #open(): Promise<LiveSource | FlvRecording> {
    const { startTimeoutMs = START_TIMEOUT_MS } = this.#options
    const late = new SourceError(`no FLV came within ${startTimeoutMs / 1000} s`)
    const timer = setTimeout(() => this.#stop.abort(late), startTimeoutMs)
    try {
      return await Promise.race([this.#openSource(), untilAborted(this.#signal)])
    } finally {
      clearTimeout(timer)
    }
  }

  async #openSource(): Promise<LiveSource | FlvRecording> {
    const { log, request } = this.#options
    const { file } = request
    if (file !== undefined) return this.#openFile(file)
    const client = new SourceClient(request, this.#signal)
    if (client.isWebSocket) return LiveSource.open(await client.openWebSocket(), log)
    const answer = await client.get()
    const { body, sizeBytes, contentType } = answer
    request.step('header', 'the beginning of the FLV')
    if (sizeBytes === undefined) {
      return LiveSource.open({ chunks: body, end: () => 'the source has ended', contentType }, log)
    }
    return this.#openRecording(new SequentialBytes(client, answer, sizeBytes), { missingTrackMs: MISSING_TRACK_MS })
  }

  async #openFile(file: string): Promise<FlvRecording> {
    const bytes = await FileBytes.open(file, this.#signal)
    this.#bytes = bytes
    // The pull may have been aborted while the file was opened.
    if (this.#signal.aborted) await bytes.close()
    return this.#openRecording(bytes, { lastTagMs: await lastTagMs(bytes) })
  }

  #openRecording(
    bytes: RecordingBytes,
    known: Pick<FlvRecordingInit, 'lastTagMs' | 'missingTrackMs'>,
  ): Promise<FlvRecording> {
    this.#bytes = bytes
    return FlvRecording.open({ bytes, log: this.#options.log, ...known })
  }
}
