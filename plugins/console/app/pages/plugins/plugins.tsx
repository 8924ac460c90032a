import { Stack, Text, TextInput } from '@mantine/core'
import { SearchIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { PluginDetail } from './plugin-detail.tsx'
import { portsOf, usePlugins } from './plugin-list.ts'
import { PluginState } from './plugin-state.tsx'
import { WORDS } from './plugin-words.ts'

/** All plugins; `path` is the name of one. */
export default function Plugins({ console, path }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame, DataTable, Problem } = console.components
  const { plugins, error, refresh } = usePlugins(console)
  const [search, setSearch] = useState('')
  if (path !== '') {
    return (
      <PluginDetail console={console} name={path} plugins={plugins} error={error} refresh={refresh} words={words} />
    )
  }
  const shown = plugins?.filter(({ name, description }) =>
    `${name} ${description['description']}`.toLowerCase().includes(search.trim().toLowerCase()),
  )
  return (
    <PageFrame title={words.title} description={words.description}>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <TextInput
        aria-label={words.search}
        placeholder={words.search}
        leftSection={<SearchIcon />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maw={360}
      />
      <DataTable
        label={words.title}
        rows={shown}
        rowKey={({ name }) => name}
        empty={words.none}
        onOpen={({ name }) => console.navigate(`/plugins/${encodeURIComponent(name)}`)}
        columns={[
          {
            key: 'name',
            title: words.name,
            render: ({ name }) => (
              <Text size="sm" fw={500} style={{ whiteSpace: 'nowrap' }}>
                {name}
              </Text>
            ),
          },
          {
            key: 'state',
            title: words.state,
            render: (plugin) => (
              <Stack gap={2}>
                <PluginState plugin={plugin} words={words} />
                <Text size="xs" c="dimmed" maw={420}>
                  {plugin.description['disableReason'] ?? plugin.description['lastError']}
                </Text>
              </Stack>
            ),
          },
          { key: 'about', title: words.about, isMinor: true, render: ({ description }) => description['description'] },
          { key: 'ports', title: words.listens, render: (plugin) => portsOf(plugin) || '–' },
          { key: 'version', title: words.version, render: ({ description }) => description['version'] },
          {
            key: 'generation',
            title: words.generation,
            align: 'end',
            isMinor: true,
            render: ({ description }) => description['generation'],
          },
        ]}
      />
    </PageFrame>
  )
}
