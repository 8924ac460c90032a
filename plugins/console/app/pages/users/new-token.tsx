import { Button, Card, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { RoleSelect, type Role } from './role-select.tsx'
import type { WORDS } from './users-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly words: (typeof WORDS)['en']
  readonly onAdded: (token: string) => void
}

export function NewToken({ console, words, onAdded }: Props) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('user')
  const [expires, setExpires] = useState('')
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const body = { name, role, ...(expires !== '' && { expires }) }
    await console.change(async () => {
      const { data } = await console.api.call('POST /api/token/add', { body })
      setName('')
      onAdded(data.token)
    }, words.tokenAdded(name))
  }
  return (
    <Card withBorder>
      <form onSubmit={(event) => void add(event)}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={words.tokenName}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
            required
          />
          <RoleSelect words={words} value={role} onChange={setRole} />
          <NativeSelect
            label={words.expires}
            value={expires}
            onChange={(event) => setExpires(event.currentTarget.value)}
            data={Object.entries(words.lifetimes).map(([value, label]) => ({ value, label }))}
          />
          <Button type="submit">{words.addToken}</Button>
        </Group>
      </form>
    </Card>
  )
}
