import { isDeepStrictEqual } from 'node:util'
import {
  StreamUnavailable,
  type PushJobs,
  type PushWish,
  type RunningPush,
  type RuleSection,
  type StreamInfo,
  type StreamManager,
} from 'sluice/sdk'
import { OPERATOR, RULE } from '../origins.ts'
import { PushRules } from './push-rules.ts'

/** The pushes by the rules of the config, of all streams that they match. */
export class RulePushes {
  readonly #pushes: PushJobs
  readonly #streams: Pick<StreamManager, 'list'>
  #rules = new PushRules([])

  constructor(pushes: PushJobs, streams: Pick<StreamManager, 'list'>) {
    this.#pushes = pushes
    this.#streams = streams
  }

  /** Takes over the present rules of the sections: starts new pushes, ends those without a rule, and leaves the others alone. */
  apply(sections: readonly RuleSection<'push'>[]): void {
    this.#rules = new PushRules(sections)
    for (const push of this.#pushes.list()) {
      const wishes = this.#rules.match(push.wish.streamPath)
      if (push.wish.origin === RULE && !wishes.some((other) => isDeepStrictEqual(other, push.wish))) {
        push.stop('its rule is gone')
      }
    }
    for (const stream of this.#streams.list()) this.published(stream)
  }

  /** Starts the pushes of a stream that has a publisher. */
  published({ path, type }: Pick<StreamInfo, 'path' | 'type'>): void {
    // A push would keep a stream alive that was made of another one for its players.
    if (type === 'transform') return
    for (const wish of this.#rules.match(path)) {
      if (this.#pushes.find(wish) === undefined) this.#start(wish)
    }
  }

  /** Ends all pushes of rules and operators. */
  end(): void {
    const isOwn = ({ wish: { origin } }: RunningPush) => origin === RULE || origin === OPERATOR
    for (const push of this.#pushes.list().filter(isOwn)) push.stop('its rule is gone')
  }

  #start(wish: PushWish): void {
    try {
      this.#pushes.start(wish)
    } catch (error) {
      // A server that is stopping begins no push; this plugin is drained a little later.
      if (!(error instanceof StreamUnavailable)) throw error
    }
  }
}
