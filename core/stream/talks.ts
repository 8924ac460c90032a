import {
  StreamExists,
  StreamUnavailable,
  Unsupported,
  withDeadline,
  type SourceControl,
  type Talk,
  type TrackInit,
} from 'sluice/sdk'
import { COMMAND_TIMEOUT_MS, guarded, sourceFailure } from './guarded-control.ts'
import type { SessionLife } from './session-life.ts'

/** The talks with the source of a publisher: one at a time, which ends with the publisher. */
export class Talks {
  readonly #control: SourceControl | undefined
  readonly #session: SessionLife
  #isBusy = false
  #current: Talk | undefined

  /** @param session the publisher's */
  constructor(control: SourceControl | undefined, session: SessionLife) {
    this.#control = control
    this.#session = session
    session.onClose(() => this.#current?.close())
  }

  /**
   * Opens a talk with the source.
   * @throws {Unsupported} when the source can't be talked to
   * @throws {StreamExists} when there is a talk already
   * @throws {SluiceError} the error that the source refuses with, or that it has failed
   */
  async open(tracks: readonly TrackInit[]): Promise<Talk> {
    const control = this.#control
    if (control?.talk === undefined) throw new Unsupported('this stream cannot be talked to')
    if (this.#isBusy) throw new StreamExists()
    this.#isBusy = true
    try {
      const talk = await this.#answer(guarded(this.#session, 'talk', control.talk.bind(control, tracks)))
      this.#current = talk
      talk.onClose(() => this.#end())
      if (this.#session.closed) talk.close()
      return this.#guarded(talk)
    } catch (error) {
      this.#end()
      throw sourceFailure(this.#session, 'talk', error)
    }
  }

  #end(): void {
    this.#isBusy = false
    this.#current = undefined
  }

  /** Waits for the source; a talk that is there too late is closed. */
  async #answer(opening: Promise<Talk>): Promise<Talk> {
    const late = () => {
      void opening.then((talk) => talk.close()).catch(() => {})
      return new StreamUnavailable('the source does not answer')
    }
    return withDeadline(opening, COMMAND_TIMEOUT_MS, late)
  }

  /** Guards the calls of a talk: an error of the source's plugin is its own failure, and ends nothing but the call. */
  #guarded(talk: Talk): Talk {
    const session = this.#session
    const call = <T>(run: () => T): T => guarded(session, 'talk', run)
    return {
      addTrack: (init) => call(() => talk.addTrack(init)),
      configureTrack: (track, config) => call(() => talk.configureTrack(track, config)),
      removeTrack: (track) => call(() => talk.removeTrack(track)),
      write: (unit) => {
        if (!session.closed) call(() => talk.write(unit))
      },
      lost: (track, count) => call(() => talk.lost(track, count)),
      onClose: (listener) => talk.onClose(listener),
      close: () => talk.close(),
    }
  }
}
