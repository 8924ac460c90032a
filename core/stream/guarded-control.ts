import {
  InvalidRequest,
  SluiceError,
  StreamUnavailable,
  withDeadline,
  type SourceControl,
  type VideoTrack,
} from 'sluice/sdk'
import type { SessionLife } from './session-life.ts'

/** The longest time that a source may take for a command. */
export const COMMAND_TIMEOUT_MS = 10_000

/** The commands for a source that is played. */
type SourceCommand = 'pause' | 'resume' | 'setSpeed' | 'seek'

/**
 * The control of a publisher's source for callers other than its plugin, with the commands that the source has. An error of
 * the source is logged as its plugin's and ends nothing but the call, which throws `StreamUnavailable`; a named error passes.
 * An invalid speed or position, as some protocols let clients send it, is refused with `InvalidRequest`.
 */
export function guardedControl(control: SourceControl, session: SessionLife): SourceControl {
  const position = control.position?.bind(control)
  const pause = control.pause?.bind(control)
  const resume = control.resume?.bind(control)
  const setSpeed = control.setSpeed?.bind(control)
  const seek = control.seek?.bind(control)
  return {
    ...(position && { position: () => guarded(session, 'position', position) }),
    ...(pause && { pause: () => command(session, 'pause', pause) }),
    ...(resume && { resume: () => command(session, 'resume', resume) }),
    ...(setSpeed && { setSpeed: (speed) => command(session, 'setSpeed', () => setSpeed(speedOf(speed))) }),
    ...(seek && { seek: (positionMs) => command(session, 'seek', () => seek(positionOf(positionMs))) }),
  }
}

function speedOf(speed: number): number {
  if (Number.isFinite(speed) && speed > 0) return speed
  throw new InvalidRequest('speed: expected a number above 0')
}

function positionOf(positionMs: number): number {
  if (Number.isFinite(positionMs)) return positionMs
  throw new InvalidRequest('position: expected a number of milliseconds')
}

/** Returns a function that asks the source for a keyframe; a failure is logged, as it is no fault of the subscriber that needs one. */
export function guardedKeyframeRequest(control: SourceControl, session: SessionLife): (track: VideoTrack) => void {
  return (track) => {
    try {
      guarded(session, 'requestKeyframe', () => control.requestKeyframe?.(track))
    } catch (error) {
      session.log.debug({ err: error }, 'no keyframe could be asked for')
    }
  }
}

/** Calls the control of a source; see {@link guardedControl}. */
export function guarded<T>(session: SessionLife, name: keyof SourceControl, run: () => T): T {
  const { closeReason } = session
  if (closeReason !== undefined) throw new StreamUnavailable(closeReason.text)
  try {
    return run()
  } catch (error) {
    throw sourceFailure(session, name, error)
  }
}

async function command(session: SessionLife, name: SourceCommand, run: () => void | Promise<void>): Promise<void> {
  const running = guarded(session, name, run)
  if (running === undefined) return
  try {
    await withDeadline(running, COMMAND_TIMEOUT_MS, () => new Error(`no answer within ${COMMAND_TIMEOUT_MS} ms`))
  } catch (error) {
    throw sourceFailure(session, name, error)
  }
}

/** The error that callers get for an error in the control of a source; the full one is in its plugin's log. */
export function sourceFailure(session: SessionLife, name: keyof SourceControl, error: unknown): SluiceError {
  if (error instanceof SluiceError) return error
  session.log.error({ err: error, command: name }, 'the control of a source failed')
  return new StreamUnavailable('the source failed')
}
