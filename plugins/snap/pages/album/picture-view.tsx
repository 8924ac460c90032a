import { ActionIcon, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon, DownloadIcon } from '@primer/octicons-react'
import type { PageConsole, Picture } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'
import { PictureFrame } from './picture-frame.tsx'
import { usePicture } from './use-picture.ts'

type PictureViewProps = {
  readonly console: PageConsole
  readonly picture: Picture
  readonly newer: Picture | undefined
  readonly older: Picture | undefined
  readonly onOpen: (picture: Picture) => void
  readonly onClose: () => void
  readonly onDelete: (id: number) => Promise<void>
}

/** A picture as large as the page, which the arrow keys lead to the next ones. */
export function PictureView({ console, picture, newer, older, onOpen, onClose, onDelete }: PictureViewProps) {
  const words = console.words(WORDS)
  const { ConfirmButton } = console.components
  const { address, isGone } = usePicture(console, picture.id)
  const title = words.picture(picture.streamPath, console.format.time(picture.time))
  const go = (to: Picture | undefined) => {
    if (to !== undefined) onOpen(to)
  }
  const name = picture.filePath.slice(picture.filePath.lastIndexOf('/') + 1)
  return (
    <Modal
      closeButtonProps={{ 'aria-label': words.close }}
      opened
      size="xl"
      title={title}
      onClose={onClose}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') go(newer)
        if (key === 'ArrowRight') go(older)
      }}
    >
      <Stack gap="sm">
        <PictureFrame console={console} address={address} isGone={isGone} text={title} />
        <Group justify="space-between">
          <Group gap="xs">
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={words.previous}
              disabled={newer === undefined}
              onClick={() => go(newer)}
            >
              <ChevronLeftIcon />
            </ActionIcon>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={words.next}
              disabled={older === undefined}
              onClick={() => go(older)}
            >
              <ChevronRightIcon />
            </ActionIcon>
            <Text size="sm" c="dimmed">
              {words.modes[picture.mode]}
            </Text>
          </Group>
          <Group gap="xs">
            {address !== undefined && (
              <Button
                component="a"
                href={address}
                download={name}
                size="xs"
                variant="default"
                leftSection={<DownloadIcon />}
              >
                {words.download}
              </Button>
            )}
            <ConfirmButton
              question={words.deleteQuestion}
              isDisabled={!console.user.mayChange}
              onConfirm={() => onDelete(picture.id)}
            >
              {words.delete}
            </ConfirmButton>
          </Group>
        </Group>
      </Stack>
    </Modal>
  )
}
