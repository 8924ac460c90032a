import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import type { Job, Kind } from './job.ts'
import { WORDS } from './relays-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly kind: Kind
  readonly job: Job
  readonly onStopped: () => Promise<void>
}

/** Ends a pull or push. */
export function StopButton({ console, kind, job: { id, streamPath }, onStopped }: Props) {
  const { ConfirmButton } = console.components
  const words = console.words(WORDS)
  const stop = async () => {
    const input = { params: { id: String(id) } }
    await console.change(() => console.api.call('POST /api/task/stop/{id}', input), words.stopped(streamPath))
    await onStopped()
  }
  return (
    <ConfirmButton
      label={words.stopOf(streamPath)}
      question={words.stopQuestion[kind](streamPath)}
      isDisabled={!console.user.mayChange}
      onConfirm={stop}
    >
      {words.stop}
    </ConfirmButton>
  )
}
