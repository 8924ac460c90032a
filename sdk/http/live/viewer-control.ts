import type { Logger } from 'pino'
import { SluiceError } from '../../errors/sluice-error.ts'
import type { SourceControl } from '../../stream/source-control.ts'
import type { Subscriber } from '../../stream/subscriber.ts'
import { parseControlFrame, type ControlCommand } from './control-frame.ts'

/**
 * Runs the commands of a viewer's control frames on the source of its stream, one after the other. While one is under way,
 * the latest that pauses or resumes, the latest seek and the latest speed wait, in the order in which they came.
 */
export class ViewerControl {
  readonly #subscriber: Pick<Subscriber, 'control'>
  readonly #log: Logger
  readonly #waiting = new Map<keyof SourceControl, ControlCommand>()
  #isBusy = false

  constructor(subscriber: Pick<Subscriber, 'control'>, log: Logger) {
    this.#subscriber = subscriber
    this.#log = log
  }

  /** Takes a message of the viewer; ignores messages that are no control frame. */
  receive(bytes: Buffer): void {
    const command = parseControlFrame(bytes)
    if (command === undefined) return
    const place = command.name === 'resume' ? 'pause' : command.name
    this.#waiting.delete(place)
    this.#waiting.set(place, command)
    if (!this.#isBusy) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    // The loop also runs the commands that come meanwhile.
    for (const [place, command] of this.#waiting) {
      this.#waiting.delete(place)
      await this.#obey(command)
    }
    this.#isBusy = false
  }

  async #obey(command: ControlCommand): Promise<void> {
    try {
      await tell(this.#subscriber.control, command)
    } catch (error) {
      // The plugin of the source has logged what it threw itself.
      if (error instanceof SluiceError)
        this.#log.debug({ command, reason: error.message }, 'a control frame is refused')
      else this.#log.error({ err: error, command }, 'a control frame failed')
    }
  }
}

/** Calls the function of the source for a command; a source without that function ignores it. */
function tell(control: SourceControl | undefined, command: ControlCommand): void | Promise<void> {
  if (command.name === 'seek') return control?.seek?.(command.positionMs)
  if (command.name === 'setSpeed') return control?.setSpeed?.(command.speed)
  return control?.[command.name]?.()
}
