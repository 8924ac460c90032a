import { PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { WORDS } from './users-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly words: (typeof WORDS)['en']
  /** The user whose password is changed. */
  readonly username: string
  readonly onClose: () => void
}

export function PasswordDialog({ console, words, username, onClose }: Props) {
  const { FormDialog } = console.components
  const [password, setPassword] = useState('')
  const save = async () => {
    await console.api.call('POST /api/user/update', { body: { username, password } })
    console.notify(words.passwordChanged(username))
  }
  return (
    <FormDialog
      title={words.changePasswordOf(username)}
      submitText={words.save}
      isReady={password !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <PasswordInput
        label={words.newPassword}
        description={words.passwordHint}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="new-password"
        data-autofocus
        required
      />
      <Text size="sm" c="dimmed">
        {words.sessionsEnd}
      </Text>
    </FormDialog>
  )
}
