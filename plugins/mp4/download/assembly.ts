import type { DownloadSource } from './download-source.ts'
import type { FoundFragment } from './fragment-walk.ts'
import type { SourceReader } from './source-reader.ts'
import type { VirtualPiece } from './virtual-file.ts'

/** Puts a file together of what fragments of sources say. */
export interface Assembly {
  /** Says what it makes, for a tag of the file. */
  readonly name: string
  /** Begins the next source. */
  begin(source: DownloadSource, reader: SourceReader): void
  /** Takes the next fragment of that source, which has samples. @throws {RangeError} for more than it has room for */
  add(fragment: FoundFragment): void
  /** All of the file, once all is added. */
  pieces(): VirtualPiece[]
}
