import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ConfirmButtonProps } from 'sluice/sdk/console'
import { KIT_WORDS } from './kit-words.ts'
import { useWords } from './language.ts'

export function ConfirmButton({ children, question, onConfirm, label, isDisabled = false }: ConfirmButtonProps) {
  const words = useWords(KIT_WORDS)
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    await onConfirm().finally(() => setBusy(false))
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus withArrow shadow="md" width={280} withinPortal>
      <Popover.Target>
        <Button
          size="xs"
          variant="light"
          color="red"
          aria-label={label}
          disabled={isDisabled || isBusy}
          onClick={(event) => {
            event.stopPropagation()
            setOpen(!isOpen)
          }}
        >
          {children}
        </Button>
      </Popover.Target>
      <Popover.Dropdown onClick={(event) => event.stopPropagation()}>
        <Stack gap="sm">
          <Text size="sm">{question}</Text>
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={() => setOpen(false)}>
              {words.cancel}
            </Button>
            <Button size="xs" color="red" loading={isBusy} onClick={() => void confirm()}>
              {words.confirm}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
