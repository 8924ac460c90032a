import { Anchor, Stack, Text } from '@mantine/core'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './relays-words.ts'

const REFRESH_MS = 15_000

type Rule = Paths['GET /api/pull/rules']['answer']['data'][number]

/** The rules of the config by which streams are pulled and pushed. */
export function RuleList({ console }: { readonly console: Console<Paths> }) {
  const words = console.words(WORDS)
  const { DataTable, Problem } = console.components
  const pulls = console.useCall('GET /api/pull/rules', undefined, { refreshMs: REFRESH_MS })
  const pushes = console.useCall('GET /api/push/rules', undefined, { refreshMs: REFRESH_MS })
  const error = pulls.error ?? pushes.error
  const rules = pulls.data && pushes.data && [...pulls.data.data, ...pushes.data.data]
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {words.rulesText}
      </Text>
      {error !== undefined && <Problem error={error} />}
      <DataTable<Rule>
        label={words.parts.rules}
        rows={rules}
        rowKey={({ plugin, when, path, url }) => [plugin, when, path, url].join(' ')}
        empty={words.noRules}
        columns={[
          { key: 'when', title: words.when, render: ({ when }) => words.whens[when] ?? when },
          {
            key: 'path',
            title: words.path,
            render: ({ path }) => (
              <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {path}
              </Text>
            ),
          },
          {
            key: 'address',
            title: words.address,
            render: ({ url }) => (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {url}
              </Text>
            ),
          },
          {
            key: 'section',
            title: words.section,
            render: ({ plugin }) => (
              <Anchor
                size="sm"
                {...console.link(`/config/${encodeURIComponent(plugin)}`)}
                style={{ overflowWrap: 'anywhere' }}
              >
                {plugin}
              </Anchor>
            ),
          },
        ]}
      />
    </Stack>
  )
}
