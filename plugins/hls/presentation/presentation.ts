import { randomBytes } from 'node:crypto'
import type { PluginContext, UnitReader } from 'sluice/sdk'
import type { MultivariantPlaylist } from 'sluice/sdk/media'
import type { PresentationFile } from './presentation-file.ts'
import type { Rendition } from './rendition.ts'

export type PresentationOptions = {
  readonly format: 'fmp4' | 'ts'
  /** Segments are also cut into parts. With `fmp4` only. */
  readonly lowLatency: boolean
  readonly fragmentMs: number
  readonly partMs: number
  /** Segments in a playlist. */
  readonly window: number
  /** The wall clock, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number
  readonly log: PluginContext<unknown>['log']
}

const ID_SIZE_BYTES = 15

/**
 * A stream as HLS in one format: renditions, their segments and parts, and the playlists that name them. It is fed
 * units, and knows neither timers nor HTTP.
 */
export class Presentation {
  /** Unguessable, and never used again: files are named by it. Letters, digits and `_`. */
  readonly id: string = randomBytes(ID_SIZE_BYTES).toString('base64url').replaceAll('-', '_')
  /** To be given to `Subscriber.read`. */
  readonly reader: UnitReader = { unit: () => undefined }
  readonly #listeners = new Set<() => void>()

  constructor(_options: PresentationOptions) {}

  /** Each rendition has a complete segment: playlists can be asked for. */
  get ready(): boolean {
    return false
  }

  /** Why there is nothing to be had: the stream has no track that the format can carry. */
  get failed(): string | undefined {
    return undefined
  }

  /** Of all renditions; fixed once ready. */
  get targetDurationSeconds(): number {
    return 0
  }

  /** By name, empty before ready. */
  get renditions(): ReadonlyMap<string, Rendition> {
    return new Map()
  }

  /** Bytes held. */
  get sizeBytes(): number {
    return 0
  }

  /**
   * Told synchronously after any part or segment was added, when it becomes ready or fails, and at the end.
   * @returns what ends it.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Names renditions as `video.m3u8`.
   * @throws {Error} before it is ready.
   */
  multivariant(): MultivariantPlaylist {
    throw new Error('the presentation is not ready')
  }

  /** A file by its name, `{id}-…`; undefined for what is not there, or no longer. */
  file(_name: string): PresentationFile | undefined {
    return undefined
  }

  /** No more media comes: what is there is completed, and playlists say that they end. Idempotent. */
  end(): void {}
}
