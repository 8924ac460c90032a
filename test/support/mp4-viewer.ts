import { writeFile } from 'node:fs/promises'
import { findBoxes, readBoxes, readFragment, type ReadBox } from '../../sdk/media/container/fmp4/fixtures/boxes.ts'
import { waitFor } from '../peers/wait-for.ts'
import { LiveViewer } from './live-viewer.ts'

/** What a viewer of live fMP4 got, in its order. */
export type Mp4Part =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'init'; readonly trackIds: readonly number[]; readonly boxes: readonly ReadBox[] }
  | Mp4Fragment

type Mp4Fragment = {
  readonly kind: 'fragment'
  readonly trackId: number
  readonly baseDts: number
  readonly keyframe: boolean
}

const VIDEO_ID = 1

/** A viewer of live fMP4 over HTTP or WebSocket. It leaves with the test that sent it, at the latest. */
export class Mp4Viewer extends LiveViewer {
  readonly parts: Mp4Part[] = []
  readonly #bytes: Buffer[] = []
  readonly #reader = new Mp4Parts()

  /** Text messages, init segments and fragments, by their first letters: `tiff…`. */
  get order(): string {
    return this.parts.map(({ kind }) => kind[0]).join('')
  }

  fragments(): Mp4Fragment[] {
    return this.parts.filter((part) => part.kind === 'fragment')
  }

  pictures(): Mp4Fragment[] {
    return this.fragments().filter(({ trackId }) => trackId === VIDEO_ID)
  }

  async wait(fragments: number): Promise<void> {
    await waitFor(() => this.fragments().length >= fragments, { what: `${fragments} fragments` })
  }

  /** Writes all that came into a file. */
  async save(file: string): Promise<void> {
    await writeFile(file, Buffer.concat(this.#bytes))
  }

  protected receive(bytes: Buffer): void {
    this.#bytes.push(bytes)
    this.parts.push(...this.#reader.push(bytes))
  }

  protected override receiveText(text: string): void {
    this.parts.push({ kind: 'type', text })
  }
}

/** Takes live fMP4 apart as it comes in. */
export class Mp4Parts {
  #rest = Buffer.alloc(0)

  push(bytes: Buffer): Mp4Part[] {
    const parts: Mp4Part[] = []
    this.#rest = Buffer.concat([this.#rest, bytes])
    for (let end = this.#endOfPart(); end > 0; end = this.#endOfPart()) {
      parts.push(toPart(this.#rest.subarray(0, end)))
      this.#rest = this.#rest.subarray(end)
    }
    return parts
  }

  // A part is two boxes: ftyp and moov, or moof and mdat.
  #endOfPart(): number {
    const first = this.#sizeAt(0)
    const second = first > 0 ? this.#sizeAt(first) : 0
    return second > 0 && first + second <= this.#rest.length ? first + second : 0
  }

  #sizeAt(offset: number): number {
    return offset + 4 <= this.#rest.length ? this.#rest.readUInt32BE(offset) : 0
  }
}

function toPart(bytes: Buffer): Mp4Part {
  const boxes = readBoxes(bytes)
  if (boxes[0]?.type === 'ftyp') {
    return { kind: 'init', boxes, trackIds: findBoxes(boxes, 'tkhd').map(({ body }) => body.readUInt32BE(12)) }
  }
  const [run] = readFragment(bytes).runs
  const [sample] = run?.samples ?? []
  if (run === undefined || sample === undefined) throw new Error('a fragment without a sample')
  return { kind: 'fragment', trackId: run.trackId, baseDts: run.baseDts, keyframe: sample.keyframe }
}
