import type { RecordingBytes } from 'sluice/sdk'
import { FragmentJoiner, joinFragment } from 'sluice/sdk/media'
import type { Assembly } from './assembly.ts'
import type { DownloadSource } from './download-source.ts'
import type { FoundFragment } from './fragment-walk.ts'
import type { SourceReader } from './source-reader.ts'
import type { VirtualPiece } from './virtual-file.ts'

/** A fragmented file. The heads of its fragments, of which there may be many, are made again when they are read. */
export class FragmentedAssembly implements Assembly {
  readonly name = 'fmp4'
  readonly #joiner = new FragmentJoiner()
  readonly #fragments: VirtualPiece[] = []
  #source: DownloadSource | undefined
  #reader: SourceReader | undefined
  #count = 0

  begin(source: DownloadSource, reader: SourceReader): void {
    this.#source = source
    this.#reader = reader
    this.#joiner.beginSource({ tracks: reader.tracks, startMs: source.startMs })
  }

  add({ moof: { offset, bodyOffset, endOffset }, tracks }: FoundFragment): void {
    const [source, reader] = [this.#source!, this.#reader!]
    const { head, spans } = this.#joiner.addFragment(tracks)
    const placement = this.#joiner.placement!
    this.#count += 1
    const sequenceNumber = this.#count
    const make = async (bytes: RecordingBytes): Promise<Buffer> => {
      const moof = await bytes.read(bodyOffset, endOffset - bodyOffset)
      return joinFragment(placement, reader.parse(moof, offset), sequenceNumber).head
    }
    this.#fragments.push({ source, sizeBytes: head.length, make })
    for (const { offset: at, sizeBytes } of spans) this.#fragments.push({ source, offset: at, sizeBytes })
  }

  pieces(): VirtualPiece[] {
    const bytes = this.#joiner.serializeInit()
    return [{ bytes, sizeBytes: bytes.length }, ...this.#fragments]
  }
}
