import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { WORDS } from './users-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly words: (typeof WORDS)['en']
  /** The user whose password is changed; undefined while the dialog is closed. */
  readonly username: string | undefined
  readonly onClose: () => void
}

export function PasswordDialog({ console, words, username, onClose }: Props) {
  const [password, setPassword] = useState('')
  const close = () => {
    setPassword('')
    onClose()
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (username === undefined) return
    const update = () => console.api.call('POST /api/user/update', { body: { username, password } })
    if (await console.change(update, words.passwordChanged(username))) close()
  }
  return (
    <Modal
      opened={username !== undefined}
      onClose={close}
      title={words.changePasswordOf(username ?? '')}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <form onSubmit={(event) => void save(event)}>
        <Stack>
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
          <Button type="submit">{words.save}</Button>
        </Stack>
      </form>
    </Modal>
  )
}
