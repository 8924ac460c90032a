import type { DownloadSource } from './download-source.ts'
import type { FoundFragment } from './fragment-walk.ts'
import type { SourceReader } from './source-reader.ts'
import type { VirtualPiece } from './virtual-file.ts'

/** Assembles a file from the fragments of sources. */
export interface Assembly {
  /** The name of the format, for a tag of the file. */
  readonly name: string
  /** Begins the next source. */
  begin(source: DownloadSource, reader: SourceReader): void
  /** Takes the next fragment of that source, which has samples. @throws {RangeError} for more than it has room for */
  add(fragment: FoundFragment): void
  /** All of the file, once all is added. */
  pieces(): VirtualPiece[]
}
