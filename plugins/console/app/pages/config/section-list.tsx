import { Badge, Card, Group, SimpleGrid, Skeleton, Text, TextInput } from '@mantine/core'
import { SearchIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { CONFIG_WORDS } from './config-words.ts'

const REFRESH_MS = 5000
const SKELETONS = 24

/** The sections of the config: `global`, and those of the plugins. */
export function SectionList({ console }: { readonly console: Console<Paths> }) {
  const words = console.words(CONFIG_WORDS)
  const { PageFrame, Problem } = console.components
  const { data, error, refresh } = console.useCall('GET /config/', undefined, { refreshMs: REFRESH_MS })
  const [search, setSearch] = useState('')
  const isFirst = (name: string) => Number(name !== 'global')
  const sections = data?.data
    .filter(({ name }) => name.includes(search.trim().toLowerCase()))
    .toSorted((one, other) => isFirst(one.name) - isFirst(other.name) || one.name.localeCompare(other.name))
  return (
    <PageFrame title={words.title} description={words.listText}>
      <TextInput
        type="search"
        maw={360}
        leftSection={<SearchIcon />}
        aria-label={words.searchSections}
        placeholder={words.searchSections}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {error !== undefined && data === undefined && <Problem error={error} onRetry={() => void refresh()} />}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="sm" aria-busy={data === undefined}>
        {sections === undefined &&
          error === undefined &&
          Array.from({ length: SKELETONS }, (_, index) => <Skeleton key={index} height={62} radius="md" />)}
        {sections?.map(({ name, enabled, modified }) => (
          <Card
            key={name}
            withBorder
            padding="md"
            component="a"
            {...console.link(`/config/${encodeURIComponent(name)}`)}
          >
            <Group justify="space-between" gap="xs" mih={28}>
              <Text fw={600}>{name}</Text>
              <Group gap={6}>
                {modified && (
                  <Badge variant="light" color="orange" size="sm" tt="none" fw={500}>
                    {words.modified}
                  </Badge>
                )}
                {name !== 'global' && (
                  <Badge variant="light" color={enabled ? 'teal' : 'gray'} size="sm" tt="none" fw={500}>
                    {enabled ? words.enabled : words.disabled}
                  </Badge>
                )}
              </Group>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
      {sections?.length === 0 && <Text c="dimmed">{words.noSection}</Text>}
    </PageFrame>
  )
}
