import { Button, Card, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { ALIAS_WORDS } from './alias-words.ts'

const REFRESH_MS = 5000

type Props = { readonly console: Console<Paths>; readonly streamPath: string }

/** The second names of a stream. */
export function StreamAliases({ console, streamPath }: Props) {
  const { DataTable, Problem, ConfirmButton } = console.components
  const words = console.words(ALIAS_WORDS)
  const [written, setAlias] = useState('')
  const [autoRemove, setAutoRemove] = useState(false)
  const { data, error, refresh } = console.useCall('GET /api/stream/alias/list', {}, { refreshMs: REFRESH_MS })
  const aliases = data?.data.filter((one) => one.streamPath.split('?', 1)[0] === streamPath)
  const isReadOnly = !console.user.mayChange
  const alias = written.trim()

  const add = async (event: FormEvent) => {
    event.preventDefault()
    const body = { streamPath, alias, autoRemove }
    if (await console.change(() => console.api.call('POST /api/stream/alias', { body }), words.added(alias)))
      setAlias('')
    await refresh()
  }
  const remove = async (name: string) => {
    const body = { streamPath: '', alias: name }
    await console.change(() => console.api.call('POST /api/stream/alias', { body }), words.removed(name))
    await refresh()
  }

  return (
    <Stack gap="md">
      <Card withBorder>
        <form onSubmit={(event) => void add(event)}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {words.text}
            </Text>
            <Group align="flex-end">
              <TextInput
                label={words.alias}
                value={written}
                onChange={({ currentTarget }) => setAlias(currentTarget.value)}
                disabled={isReadOnly}
              />
              <Button type="submit" disabled={isReadOnly || alias === ''}>
                {words.add}
              </Button>
            </Group>
            <Checkbox
              label={words.autoRemove}
              checked={autoRemove}
              onChange={({ currentTarget }) => setAutoRemove(currentTarget.checked)}
              disabled={isReadOnly}
            />
          </Stack>
        </form>
      </Card>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <DataTable
        label={words.table}
        rows={aliases}
        rowKey={(one) => one.alias}
        empty={words.none}
        columns={[
          { key: 'alias', title: words.name, render: (one) => one.alias },
          { key: 'state', title: words.state, render: ({ status }) => words.states[status] ?? '–' },
          {
            key: 'ends',
            title: words.lives,
            render: (one) => (one.autoRemove ? words.withStream : words.never),
          },
          {
            key: 'remove',
            title: words.actions,
            align: 'end',
            render: (one) => (
              <ConfirmButton
                question={words.removeQuestion(one.alias)}
                label={words.removeLabel(one.alias)}
                isDisabled={isReadOnly}
                onConfirm={() => remove(one.alias)}
              >
                {words.remove}
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}
