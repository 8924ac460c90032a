import { Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { NewToken } from './new-token.tsx'
import { ShownToken } from './shown-token.tsx'
import type { WORDS } from './users-words.ts'

type Props = { readonly console: Console<Paths>; readonly words: (typeof WORDS)['en'] }

/** The tokens of programs, which are added and removed. */
export function TokenList({ console, words }: Props) {
  const { DataTable, Problem, ConfirmButton } = console.components
  const { api, format } = console
  const { data, error, refresh } = console.useCall('GET /api/token/list')
  const [added, setAdded] = useState<string>()
  const remove = async (id: number, name: string) => {
    await console.change(() => api.call('POST /api/token/remove/{id}', { params: { id } }), words.tokenRemoved(name))
    await refresh()
  }
  return (
    <Stack gap="sm" component="section">
      <div>
        <Title order={2} size="h4">
          {words.tokens}
        </Title>
        <Text size="sm" c="dimmed">
          {words.tokensText}
        </Text>
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {added !== undefined && <ShownToken token={added} words={words} onClose={() => setAdded(undefined)} />}
      {error === undefined && (
        <DataTable
          label={words.tokens}
          rows={data?.data}
          rowKey={({ id }) => String(id)}
          empty={words.noTokens}
          columns={[
            { key: 'name', title: words.tokenName, render: ({ name }) => name },
            { key: 'role', title: words.role, render: ({ role }) => role },
            { key: 'created', title: words.created, isMinor: true, render: ({ createdAt }) => format.time(createdAt) },
            {
              key: 'used',
              title: words.used,
              render: ({ usedAt }) => (usedAt === '' ? words.never : format.time(usedAt)),
            },
            {
              key: 'expires',
              title: words.until,
              render: ({ expiresAt }) => (expiresAt === '' ? words.lifetimes[''] : format.time(expiresAt)),
            },
            {
              key: 'actions',
              title: '',
              align: 'end',
              render: ({ id, name }) => (
                <ConfirmButton
                  question={words.removeToken(name)}
                  label={words.removeOf(name)}
                  onConfirm={() => remove(id, name)}
                >
                  {words.remove}
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
      <NewToken
        console={console}
        words={words}
        onAdded={(token) => {
          setAdded(token)
          void refresh()
        }}
      />
    </Stack>
  )
}
