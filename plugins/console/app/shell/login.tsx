import { Alert, Button, Card, Center, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { api } from '../kit/api-client.ts'
import { useWords } from '../kit/language.ts'
import { session } from '../kit/session.ts'
import { SHELL_WORDS } from './shell-words.ts'

/** Asks for a user's name and password; the token that they are answered by is that of the session. */
export function Login() {
  const words = useWords(SHELL_WORDS)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const logIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const field = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    setBusy(true)
    try {
      const body = { username: field('username'), password: field('password') }
      const { data } = await api.call('POST /api/auth/login', { body })
      session.token = data.token
    } catch (failure) {
      setError((failure as Error).message)
      setBusy(false)
    }
  }
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card withBorder shadow="sm" w="100%" maw={380} padding="xl">
        <form onSubmit={(event) => void logIn(event)}>
          <Stack>
            <div>
              <Title order={1} size="h3">
                Sluice
              </Title>
              <Text size="sm" c="dimmed">
                {words.loginText}
              </Text>
            </div>
            {error !== undefined && (
              <Alert color="red" role="alert">
                {error}
              </Alert>
            )}
            <TextInput label={words.userName} name="username" autoComplete="username" required autoFocus />
            <PasswordInput label={words.password} name="password" autoComplete="current-password" required />
            <Button type="submit" loading={isBusy}>
              {words.logIn}
            </Button>
          </Stack>
        </form>
      </Card>
    </Center>
  )
}
