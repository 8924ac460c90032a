import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { DeviceCameraIcon } from '@primer/octicons-react'
import { useState, type FormEvent } from 'react'
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
  const { StreamPicker } = console.components
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [streamPath, setStreamPath] = useState(offered)
  const [savePath, setSavePath] = useState('snap')
  const take = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const call = () =>
      console.api.call('POST /snap/api/take/{streamPath}', { params: { streamPath }, body: { savePath } })
    if (await console.change(call, words.taken(streamPath))) setOpen(false)
    setBusy(false)
    await onTaken()
  }
  return (
    <>
      <Button leftSection={<DeviceCameraIcon />} onClick={() => setOpen(true)}>
        {words.take}
      </Button>
      <Modal
        closeButtonProps={{ 'aria-label': words.close }}
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.take}
      >
        <form onSubmit={(event) => void take(event)}>
          <Stack>
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
            <Button type="submit" loading={isBusy} disabled={streamPath === ''}>
              {words.take}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
