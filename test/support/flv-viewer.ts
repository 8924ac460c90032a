import { FlvReader } from 'sluice/sdk/media'
import { FlvFrames } from './flv-frames.ts'
import { LiveViewer } from './live-viewer.ts'

/** A viewer of HTTP-FLV or WS-FLV. It leaves with the test that sent it, at the latest. */
export class FlvViewer extends LiveViewer {
  readonly received = new FlvFrames()
  readonly #reader = new FlvReader()

  protected receive(bytes: Buffer): void {
    for (const tag of this.#reader.push(bytes)) this.received.push(tag)
  }
}
