import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGstreamerData } from './gstreamer-data.ts'
import { keep } from './lifetime.ts'
import type { PeerFrame } from './rtsp.ts'

/** The codecs of a stream, as far as GStreamer is to be told of them. */
export type GstreamerCodecs = { readonly video: 'h264' | 'h265'; readonly audio: 'aac' | 'opus' | 'pcma' }

/** The elements that find out where the frames of a codec begin. */
export const GSTREAMER_PARSERS = {
  h264: ['h264parse'],
  h265: ['h265parse'],
  aac: ['aacparse'],
  opus: ['opusparse'],
  pcma: [],
} as const

/** The files that a pipeline writes, in a folder that goes with the test. */
export class GstreamerFiles {
  readonly folder: string

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'gstreamer-'))
    keep({ close: () => rmSync(this.folder, { recursive: true, force: true }) })
  }

  /** The elements at the end of a pipeline that write the frames of a kind. */
  output(kind: PeerFrame['kind']): readonly string[] {
    // Nothing waits for the other kind, or for the clock; what was written can be read at once.
    return ['gdppay', `filesink async=false sync=false buffer-mode=unbuffered location="${this.#file(kind)}"`]
  }

  /** What was written so far, each kind in the order in which it came: first all video, then all audio. */
  get frames(): PeerFrame[] {
    return (['video', 'audio'] as const).flatMap((kind) => {
      const file = this.#file(kind)
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      return parseGstreamerData(bytes).map((buffer) => ({ kind, ...buffer }))
    })
  }

  get sizeBytes(): number {
    const size = (kind: PeerFrame['kind']) => statSync(this.#file(kind), { throwIfNoEntry: false })?.size ?? 0
    return size('video') + size('audio')
  }

  #file(kind: PeerFrame['kind']): string {
    return join(this.folder, `${kind}.gdp`)
  }
}

/** The words of a pipeline, or of a part of one, whose elements follow each other. */
export function gstreamerChain(...elements: readonly string[]): string[] {
  return elements.flatMap((element, index) => [...(index === 0 ? [] : ['!']), ...element.split(' ')])
}
