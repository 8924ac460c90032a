import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseGstreamerData } from './gstreamer-data.ts'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'
import type { PeerFrame } from './rtsp.ts'

const SCRIPT = fileURLToPath(new URL('./gstreamer-webrtc.py', import.meta.url))
/** Debian's, which its packages bring their modules to: another one in `PATH` has none of them. */
const PYTHON = '/usr/bin/python3'

/** Starts GStreamer's webrtcbin publishing a test picture of 320x240, 25 a second, and a tone in Opus by WHIP. */
export function publishByWebrtcbin(url: string, codec: 'VP8' | 'VP9' | 'H264'): PeerProcess {
  return new PeerProcess(PYTHON, [SCRIPT, 'publish', url, codec])
}

/** GStreamer's webrtcbin playing by WHEP. It ends with the test that started it, at the latest. */
export class WebrtcbinPlayer {
  readonly process: PeerProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'webrtcbin-'))

  constructor(url: string) {
    keep({ close: () => rmSync(this.#folder, { recursive: true, force: true }) })
    this.process = new PeerProcess(PYTHON, [SCRIPT, 'play', url, this.#folder])
  }

  /** What has come so far of a kind; sound once it comes. */
  frames(kind: PeerFrame['kind']): PeerFrame[] {
    const file = join(this.#folder, `${kind}.gdp`)
    if (!existsSync(file)) return []
    return parseGstreamerData(readFileSync(file)).map((buffer) => ({ kind, ...buffer }))
  }
}
