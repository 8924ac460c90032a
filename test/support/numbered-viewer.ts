import { FlvReader } from 'sluice/sdk/media'
import { waitFor } from '../peers/wait-for.ts'
import { NumberCheck } from '../robustness/support/numbered-video.ts'
import { LiveViewer } from './live-viewer.ts'

/** A viewer by HTTP-FLV that checks for missing frames of a `NumberedPublisher`. */
export class NumberedViewer extends LiveViewer {
  readonly check = new NumberCheck()
  readonly #reader = new FlvReader()
  isGone = false

  constructor(url: string) {
    super(url)
    void this.ended.then(() => (this.isGone = true))
  }

  protected receive(bytes: Buffer): void {
    for (const { type, body } of this.#reader.push(bytes)) this.check.receive(type, body)
  }

  /** Resolves when further frames have come. */
  async goOn(frames = 10): Promise<void> {
    const before = this.check.last
    await waitFor(() => this.isGone || this.check.last >= before + frames, { what: 'further frames' })
  }
}
