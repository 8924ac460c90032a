import { Button, Text, TextInput } from '@mantine/core'
import { DeviceCameraIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'

type TakeDialogProps = {
  readonly console: PageConsole
  /** The stream that is offered. */
  readonly streamPath: string
  readonly onTaken: () => Promise<void>
}

/** A button with the dialog that takes a picture of a stream. */
export function TakeDialog({ console, streamPath: offered, onTaken }: TakeDialogProps) {
  const words = console.words(WORDS)
  const { FormDialog, StreamPicker } = console.components
  const [isOpen, setOpen] = useState(false)
  const [streamPath, setStreamPath] = useState(offered)
  const [savePath, setSavePath] = useState('snap')
  const take = async () => {
    await console.api.call('POST /snap/api/take/{streamPath}', { params: { streamPath }, body: { savePath } })
    console.notify(words.taken(streamPath))
    await onTaken()
  }
  return (
    <>
      <Button leftSection={<DeviceCameraIcon />} onClick={() => setOpen(true)}>
        {words.take}
      </Button>
      {isOpen && (
        <FormDialog
          title={words.take}
          submitText={words.take}
          isReady={streamPath !== ''}
          onSubmit={take}
          onClose={() => setOpen(false)}
        >
          <Text size="sm" c="dimmed">
            {words.takeText}
          </Text>
          <StreamPicker label={words.stream} value={streamPath} onChange={setStreamPath} />
          <TextInput
            label={words.folder}
            description={words.folderText}
            value={savePath}
            onChange={({ currentTarget }) => setSavePath(currentTarget.value)}
          />
        </FormDialog>
      )}
    </>
  )
}
