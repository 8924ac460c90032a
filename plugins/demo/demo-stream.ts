import { performance } from 'node:perf_hooks'
import { SluiceError, type PluginContext, type Publisher } from 'sluice/sdk'
import type { Clip } from './clip/clip.ts'
import { ClipPlayer } from './player.ts'

const CLIENT = { ip: '', port: 0, userAgent: 'demo' }

/**
 * The demo stream on its path. Where another publisher has the path, the demo waits until that one ends. When the demo
 * itself is ended from outside, it stays away until another publisher has come and gone, or its task is restarted.
 */
export class DemoStream {
  readonly #ctx: Pick<PluginContext<unknown>, 'streams' | 'hooks' | 'log'>
  readonly #clip: Clip
  readonly #streamPath: string
  #timer: NodeJS.Timeout | undefined
  #playing = false

  constructor(ctx: Pick<PluginContext<unknown>, 'streams' | 'hooks' | 'log'>, clip: Clip, streamPath: string) {
    this.#ctx = ctx
    this.#clip = clip
    this.#streamPath = streamPath
  }

  /** Plays until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => stopped.resolve(), { once: true })
    if (signal.aborted) return
    const untap = this.#ctx.hooks.on('unpublished', async ({ path }) => {
      if (path !== this.#streamPath) return
      // A path has one publisher at a time, so while the demo plays, the notice is of its own end.
      if (this.#playing) this.#playing = false
      else await this.#publish(signal)
    })
    try {
      await this.#publish(signal)
      await stopped.promise
    } finally {
      untap()
    }
  }

  async #publish(signal: AbortSignal): Promise<void> {
    const publisher = await this.#ask(signal)
    if (publisher === undefined) return
    this.#playing = true
    this.#play(new ClipPlayer(this.#clip, publisher, performance.now()))
    const stop = () => publisher.close('the demo was stopped')
    publisher.onClose((reason) => {
      clearTimeout(this.#timer)
      signal.removeEventListener('abort', stop)
      this.#ctx.log.info({ stream: this.#streamPath, reason: reason.text }, 'the demo stream has ended')
    })
    signal.addEventListener('abort', stop, { once: true })
  }

  /** The publisher of the path; undefined when the path is taken, or the demo is stopped. */
  async #ask(signal: AbortSignal): Promise<Publisher | undefined> {
    const session = { streamPath: this.#streamPath, type: 'vod', url: '', query: '', client: CLIENT } as const
    try {
      return await this.#ctx.streams.publish({ ...session, signal })
    } catch (error) {
      if (signal.aborted) return undefined
      if (!(error instanceof SluiceError)) throw error
      this.#ctx.log.info({ stream: this.#streamPath, reason: error.message }, 'the demo waits for its path to be free')
      return undefined
    }
  }

  #play(player: ClipPlayer): void {
    player.tick(performance.now())
    this.#timer = setTimeout(() => this.#play(player), Math.max(1, player.dueMs - performance.now()))
  }
}
