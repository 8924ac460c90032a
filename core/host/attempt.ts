import { PluginError } from './plugin-error.ts'

/** Work on a version of a plugin was given up, since a newer one is there. */
export class Superseded extends PluginError {
  constructor() {
    super('is given up for a newer version')
  }
}

/** Work on one version of a plugin, its load or its setup, as long as that is the newest. */
export class Attempt {
  #giveUp: (reason: Superseded) => void = () => {}

  /** @throws {Superseded} when a newer version comes before it is done; the work itself goes on, and nobody hears of it */
  async wait<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#giveUp = reject
    return await Promise.race([work, promise])
  }

  supersede(): void {
    this.#giveUp(new Superseded())
  }
}
