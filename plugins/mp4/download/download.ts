import { createHash, type Hash } from 'node:crypto'
import { InvalidRequest, SluiceError, StreamNotFound, StreamUnavailable } from 'sluice/sdk'
import { MovieLimitError, type MovieTrack } from 'sluice/sdk/media'
import { FragmentedAssembly } from './fragmented-assembly.ts'
import type { Assembly } from './assembly.ts'
import type { DownloadSource, LeftOutSource } from './download-source.ts'
import type { FoundFragment } from './fragment-walk.ts'
import { openSource } from './open-source.ts'
import { PlainAssembly } from './plain-assembly.ts'
import { SourceReader } from './source-reader.ts'
import { VirtualFile } from './virtual-file.ts'

/** The size of the end of a finished recording, which contains its fragment table's size. */
const TAIL_SIZE_BYTES = 64 * 1024

/** A prepared file, with the sources that it lacks. */
export type Download = { readonly file: VirtualFile; readonly leftOut: readonly LeftOutSource[] }

/**
 * Makes a plain MP4 file with its index in front from recordings, one source after the other: `MovieIndex` of `sluice/sdk/media` handles
 * gaps, overlaps and other configurations. Only the descriptions of samples are read, and of each source only whole fragments. Sources that
 * are gone, or damaged, are left out.
 * @param signal aborts it
 * @throws {StreamNotFound} when the sources have no media in the range
 * @throws {StreamUnavailable} when one can't be read at present, or none is left
 * @throws {StoreUnavailable} when the place of one is not known
 * @throws {InvalidRequest} when one file can't contain them all
 */
export function prepareMp4(sources: readonly DownloadSource[], signal?: AbortSignal): Promise<Download> {
  return assemble(sources, new PlainAssembly(), signal)
}

/**
 * Makes a fragmented MP4 file: a single source without cuts stays unchanged, others are joined by `FragmentJoiner` of `sluice/sdk/media`.
 * The rest is as in {@link prepareMp4}.
 */
export async function prepareFmp4(sources: readonly DownloadSource[], signal?: AbortSignal): Promise<Download> {
  const [source, ...others] = sources
  if (source === undefined || others.length > 0 || source.fromMs !== undefined || source.toMs !== undefined) {
    return assemble(sources, new FragmentedAssembly(), signal)
  }
  const bytes = await openSource(source).catch((error: unknown) => {
    throw error instanceof SluiceError ? error : noneReadable(error)
  })
  try {
    const { sizeBytes } = bytes
    const tail = await bytes.read(Math.max(0, sizeBytes - TAIL_SIZE_BYTES), TAIL_SIZE_BYTES)
    const etag = tagOf(createHash('sha256').update(`${sizeBytes}:`).update(tail))
    return { file: new VirtualFile([{ source, offset: 0, sizeBytes }], { type: 'video/mp4', etag }), leftOut: [] }
  } finally {
    await bytes.close()
  }
}

async function assemble(
  sources: readonly DownloadSource[],
  assembly: Assembly,
  signal: AbortSignal | undefined,
): Promise<Download> {
  const builder = new DownloadBuilder(assembly, signal)
  for (const source of sources) await builder.take(source)
  return builder.build()
}

/** Adds sources to a file, one after the other. */
class DownloadBuilder {
  readonly #assembly: Assembly
  readonly #signal: AbortSignal | undefined
  readonly #tag: Hash
  readonly #kinds = new Set<MovieTrack['kind']>()
  readonly #leftOut: LeftOutSource[] = []

  constructor(assembly: Assembly, signal: AbortSignal | undefined) {
    this.#assembly = assembly
    this.#signal = signal
    this.#tag = createHash('sha256').update(assembly.name)
  }

  /**
   * Adds a source, unless it is gone or damaged.
   * @throws {InvalidRequest} when the file has no room for it
   * @throws {SluiceError} of another kind when it can't be read at present
   */
  async take(source: DownloadSource): Promise<void> {
    try {
      await this.#take(source)
    } catch (error) {
      this.#signal?.throwIfAborted()
      if (error instanceof MovieLimitError) throw new InvalidRequest(error.message)
      if (error instanceof SluiceError && !(error instanceof StreamNotFound)) throw error
      this.#leftOut.push({ source, reason: error instanceof Error ? error : new Error('it failed', { cause: error }) })
    }
  }

  /**
   * @throws {StreamNotFound} when no media was added
   * @throws {StreamUnavailable} when all sources were left out
   */
  build(): Download {
    const [leftOut] = this.#leftOut
    if (this.#kinds.size === 0 && leftOut !== undefined) throw noneReadable(leftOut.reason)
    if (this.#kinds.size === 0) throw new StreamNotFound('nothing is recorded of that time')
    const type = this.#kinds.has('video') ? 'video/mp4' : 'audio/mp4'
    const file = new VirtualFile(this.#assembly.pieces(), { type, etag: tagOf(this.#tag) })
    return { file, leftOut: this.#leftOut }
  }

  async #take(source: DownloadSource): Promise<void> {
    this.#signal?.throwIfAborted()
    const bytes = await openSource(source)
    try {
      const reader = await SourceReader.open(bytes, source, this.#signal)
      this.#begin(source, reader)
      for await (const found of reader.fragments()) {
        this.#signal?.throwIfAborted()
        this.#add(found, reader.tracks)
      }
    } finally {
      await bytes.close()
    }
  }

  #begin(source: DownloadSource, reader: SourceReader): void {
    const { startMs, fromMs, toMs } = source
    this.#assembly.begin(source, reader)
    this.#tag.update(JSON.stringify([startMs, fromMs, toMs]))
    const contents = reader.tracks.flatMap(({ entries }) => entries.flatMap((entry) => entry.contents ?? []))
    for (const bytes of contents) this.#tag.update(bytes)
  }

  #add(found: FoundFragment, tracks: readonly MovieTrack[]): void {
    const filled = found.tracks.filter(({ runs }) => runs.some(({ samples }) => samples.length > 0))
    if (filled.length === 0) return
    this.#assembly.add(found)
    this.#tag.update(found.bytes)
    for (const { trackId, kind } of tracks) {
      if (filled.some((fragment) => fragment.trackId === trackId)) this.#kinds.add(kind)
    }
  }
}

function noneReadable(cause: unknown): StreamUnavailable {
  return new StreamUnavailable('none of the recordings can be read that are asked for', { cause })
}

/** A strong tag (RFC 9110 8.8.3). */
function tagOf(hash: Hash): string {
  return `"${hash.digest('base64url')}"`
}
