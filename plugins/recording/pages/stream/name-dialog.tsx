import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

type NameDialogProps = {
  readonly console: PageConsole
  readonly title: string
  readonly label: string
  readonly name: string
  readonly onSave: (name: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks for a name, and closes when it is saved. */
export function NameDialog({ console, title, label, name, onSave, onClose }: NameDialogProps) {
  const words = console.words(WORDS)
  const { FormDialog } = console.components
  const [typed, setTyped] = useState(name)
  return (
    <FormDialog
      title={title}
      submitText={words.save}
      isReady={typed.trim() !== ''}
      onSubmit={() => onSave(typed.trim())}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={label}
        maxLength={255}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </FormDialog>
  )
}
