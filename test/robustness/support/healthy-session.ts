import { expect } from 'chai'
import { waitFor } from '../../peers/wait-for.ts'
import { playHttpFlv, playWsFlv } from './flv-client.ts'
import { NumberCheck } from './numbered-video.ts'
import { NumberedPublisher } from './numbered-publisher.ts'
import { RtmpClient } from './rtmp-client.ts'
import { playRtsp } from './rtsp-client.ts'
import type { ServerProcess } from './server-process.ts'
import { waitedForCpuMs } from './waited-for-cpu.ts'

type Client = { readonly closed: Promise<unknown>; close(): void }
type Viewer = { readonly check: NumberCheck; readonly client: Client }

/** How many viewers it has. */
export const HEALTHY_VIEWERS = 4
const NAME = 'healthy'
const FPS = 25
const FRAME_SIZE_BYTES = 2000
/**
 * What a frame may take from publisher to viewer at most; a server that is held up makes it more. The time in which a busy
 * machine let the server or the test wait does not count, nor that in which the server counts what it holds.
 */
const MAX_DELAY_MS = 2000

/** A publisher and a viewer of each kind, who must not notice what others do. */
export class HealthySession {
  readonly #publisher: NumberedPublisher
  readonly #nowMs: () => number
  readonly #viewers: Viewer[] = []
  readonly #ended: string[] = []
  #longestDelayMs = 0

  private constructor(publisher: NumberedPublisher, nowMs: () => number) {
    this.#publisher = publisher
    this.#nowMs = nowMs
    void publisher.client.closed.then(() => this.#ended.push('publisher'))
  }

  static async start(server: ServerProcess): Promise<HealthySession> {
    const { rtmp, rtsp, http } = server.ports
    const waitedMs = () => waitedForCpuMs(server.pid) + waitedForCpuMs(process.pid) + server.countedMs
    const nowMs = () => performance.now() - waitedMs()
    const options = { port: rtmp, name: NAME, fps: FPS, sizeBytes: FRAME_SIZE_BYTES, nowMs }
    const session = new HealthySession(await NumberedPublisher.start(options), nowMs)
    const target = `live/${NAME}`
    await session.#watch('rtmp', (check) =>
      RtmpClient.play({ port: rtmp }, NAME, ({ typeId, payload }) => check.receive(typeId, payload)),
    )
    await session.#watch('http-flv', (check) =>
      playHttpFlv({ port: http, target, onTag: ({ type, body }) => check.receive(type, body) }),
    )
    await session.#watch('ws-flv', (check) =>
      playWsFlv({ port: http, target, onTag: ({ type, body }) => check.receive(type, body) }),
    )
    await session.#watch('rtsp', (check) =>
      playRtsp({ port: rtsp, target, onPicture: (bytes) => check.receiveLast(bytes) }),
    )
    return session
  }

  /** Fails unless everything published until now came to each viewer, in order and in time. */
  async expectUnharmed(): Promise<void> {
    const { last } = this.#publisher
    await waitFor(() => this.#viewers.every(({ check }) => check.last >= last), {
      what: `frame ${last} to come to each viewer`,
    })
    expect(this.#viewers.flatMap(({ check }) => check.gaps)).to.deep.equal([])
    expect(this.#ended).to.deep.equal([])
    expect(this.#longestDelayMs).to.be.below(MAX_DELAY_MS)
  }

  close(): void {
    this.#ended.length = 0
    for (const { client } of this.#viewers) client.close()
    this.#publisher.close()
  }

  async #watch(who: string, play: (check: NumberCheck) => Promise<Client>): Promise<void> {
    // What was published before is there at once, but not in time.
    const joinedAt = this.#publisher.last
    const check = new NumberCheck((number) => {
      if (number <= joinedAt) return
      this.#longestDelayMs = Math.max(this.#longestDelayMs, this.#nowMs() - this.#publisher.sentAtMs(number))
    })
    const client = await play(check)
    void client.closed.then(() => this.#ended.push(who))
    this.#viewers.push({ check, client })
  }
}
