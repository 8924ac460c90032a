import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { DeviceCameraIcon } from '@primer/octicons-react'
import type { RefObject } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { SnapshotDialog } from './snapshot-dialog.tsx'
import type { ListedStream } from './stream-media.ts'
import { STREAMS_WORDS } from './streams-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly stream: ListedStream
  /** Has the player in it, while that is shown. */
  readonly picture: RefObject<HTMLElement | null>
  readonly onChange: () => void
}

/** The buttons beside the name of a stream. */
export function StreamActions({ console, stream, picture, onChange }: Props) {
  const { ConfirmButton } = console.components
  const words = console.words(STREAMS_WORDS)
  const [isSnapshotOpen, snapshot] = useDisclosure()
  const { path, type, isPaused } = stream
  const params = { streamPath: path }
  const isReadOnly = !console.user.mayChange
  const change = async (action: () => Promise<unknown>, done?: string) => {
    await console.change(action, done)
    onChange()
  }
  const pause = () =>
    change(() =>
      isPaused
        ? console.api.call('POST /api/stream/resume/{streamPath}', { params })
        : console.api.call('POST /api/stream/pause/{streamPath}', { params }),
    )
  return (
    <>
      <Button size="xs" variant="default" leftSection={<DeviceCameraIcon />} onClick={snapshot.open}>
        {words.snapshot}
      </Button>
      {/* Who publishes here can't be told to pause. */}
      {type !== 'server' && (
        <Button size="xs" variant="default" disabled={isReadOnly} onClick={() => void pause()}>
          {isPaused ? words.resume : words.pause}
        </Button>
      )}
      <ConfirmButton
        question={words.stopQuestion(path)}
        isDisabled={isReadOnly}
        onConfirm={() =>
          change(() => console.api.call('POST /api/stream/stop/{streamPath}', { params }), words.stopped(path))
        }
      >
        {words.stop}
      </ConfirmButton>
      {isSnapshotOpen && (
        <SnapshotDialog console={console} streamPath={path} picture={picture} onClose={snapshot.close} />
      )}
    </>
  )
}
