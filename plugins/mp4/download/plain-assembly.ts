import { MovieIndex } from 'sluice/sdk/media'
import type { Assembly } from './assembly.ts'
import type { DownloadSource } from './download-source.ts'
import type { FoundFragment } from './fragment-walk.ts'
import type { SourceReader } from './source-reader.ts'
import type { VirtualPiece } from './virtual-file.ts'

/** A plain file: its index, then the data of all samples. */
export class PlainAssembly implements Assembly {
  readonly name = 'mp4'
  readonly #index = new MovieIndex()
  readonly #data: VirtualPiece[] = []
  #source: DownloadSource | undefined

  begin(source: DownloadSource, { tracks }: SourceReader): void {
    this.#source = source
    this.#index.beginSource({ tracks, startMs: source.startMs })
  }

  add({ tracks }: FoundFragment): void {
    const source = this.#source!
    for (const { offset, sizeBytes } of this.#index.addFragment(tracks)) this.#data.push({ source, offset, sizeBytes })
  }

  pieces(): VirtualPiece[] {
    return [...this.#index.serializeHead().map((bytes) => ({ bytes, sizeBytes: bytes.length })), ...this.#data]
  }
}
