import { Button, Modal, Stack, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'

type NameDialogProps = {
  readonly title: string
  readonly label: string
  readonly saveText: string
  readonly closeText: string
  readonly name: string
  readonly onSave: (name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Asks for a name, and closes when it is saved. */
export function NameDialog({ title, label, saveText, closeText, name, onSave, onClose }: NameDialogProps) {
  const [typed, setTyped] = useState(name)
  const [isBusy, setBusy] = useState(false)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    if (await onSave(typed.trim())) onClose()
    setBusy(false)
  }
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': closeText }}>
      <form onSubmit={(event) => void save(event)}>
        <Stack>
          <TextInput
            data-autofocus
            label={label}
            maxLength={255}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button type="submit" loading={isBusy} disabled={typed.trim() === ''}>
            {saveText}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
