import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { LiveViewer } from './live-viewer.ts'
import { waitFor } from '../peers/wait-for.ts'

/** A viewer of MPEG-1 over WebSocket, as JSMpeg's player is one. It leaves with the test that sent it, at the latest. */
export class JsmpegViewer extends LiveViewer {
  readonly messages: Buffer[] = []
  bytesCount = 0

  get bytes(): Buffer {
    return Buffer.concat(this.messages)
  }

  /** Waits until so much more has come than there is now. */
  async more(bytes = 1): Promise<void> {
    const enough = this.bytesCount + bytes
    await waitFor(() => this.bytesCount >= enough, { what: `${bytes} more bytes of MPEG-1` })
  }

  protected override receive(message: Buffer): void {
    this.messages.push(message)
    this.bytesCount += message.length
  }
}

/** The ids of the ffmpeg processes that play by RTSP at a port of this machine. */
export async function ffmpegsAt(rtspPort: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='])
  const lines = stdout.split('\n').filter((line) => / -i rtsps?:\/\/127\.0\.0\.1:/u.test(line))
  return lines.filter((line) => line.includes(`127.0.0.1:${rtspPort}/`)).map((line) => Number.parseInt(line, 10))
}
