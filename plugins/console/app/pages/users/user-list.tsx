import { Button, Card, Group, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { PasswordDialog } from './password-dialog.tsx'
import { RoleSelect, type Role } from './role-select.tsx'
import type { WORDS } from './users-words.ts'

type Props = { readonly console: Console<Paths>; readonly words: (typeof WORDS)['en'] }

/** The users, who are added, changed and removed. */
export function UserList({ console, words }: Props) {
  const { DataTable, Problem, ConfirmButton } = console.components
  const { api, format } = console
  const { data, error, refresh } = console.useCall('GET /api/user/list')
  const [changed, setChanged] = useState<string>()
  const change = async (action: () => Promise<unknown>, done: string) => {
    const succeeded = await console.change(action, done)
    await refresh()
    return succeeded
  }
  const changeRole = (username: string, role: Role) =>
    change(() => api.call('POST /api/user/update', { body: { username, role } }), words.roleChanged(username))
  const remove = (username: string) =>
    change(() => api.call('POST /api/user/remove', { body: { username } }), words.userRemoved(username))
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h4">
        {words.users}
      </Title>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {error === undefined && (
        <DataTable
          label={words.users}
          rows={data?.data}
          rowKey={({ username }) => username}
          empty={words.noUsers}
          columns={[
            { key: 'name', title: words.name, render: ({ username }) => username },
            {
              key: 'role',
              title: words.role,
              render: ({ username, role }) => (
                <RoleSelect
                  words={words}
                  value={role}
                  onChange={(role) => void changeRole(username, role)}
                  name={words.roleOf(username)}
                />
              ),
            },
            { key: 'created', title: words.created, isMinor: true, render: ({ createdAt }) => format.time(createdAt) },
            {
              key: 'actions',
              title: '',
              align: 'end',
              render: ({ username }) => (
                <Group gap="xs" justify="flex-end">
                  <Button size="xs" variant="default" onClick={() => setChanged(username)}>
                    {words.changePassword}
                  </Button>
                  <ConfirmButton
                    question={words.removeUser(username)}
                    label={words.removeOf(username)}
                    onConfirm={() => remove(username)}
                  >
                    {words.remove}
                  </ConfirmButton>
                </Group>
              ),
            },
          ]}
        />
      )}
      <NewUser console={console} words={words} change={change} />
      {changed !== undefined && (
        <PasswordDialog console={console} words={words} username={changed} onClose={() => setChanged(undefined)} />
      )}
    </Stack>
  )
}

type NewUserProps = Props & { readonly change: (action: () => Promise<unknown>, done: string) => Promise<boolean> }

function NewUser({ console, words, change }: NewUserProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState<Role>('user')
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const body = { username, password, role }
    if (!(await change(() => console.api.call('POST /api/user/add', { body }), words.userAdded(username)))) return
    setUsername('')
    setPassword('')
  }
  return (
    <Card withBorder>
      <form onSubmit={(event) => void add(event)}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={words.name}
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
            autoComplete="off"
            required
          />
          <PasswordInput
            label={words.password}
            placeholder={words.passwordHint}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="new-password"
            w={220}
            required
          />
          <RoleSelect words={words} value={role} onChange={setRole} />
          <Button type="submit">{words.addUser}</Button>
        </Group>
      </form>
    </Card>
  )
}
