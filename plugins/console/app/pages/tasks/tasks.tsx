import { Button, Card, Group, Skeleton, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { SearchIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Console, PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { EndedTasks } from './ended-tasks.tsx'
import { TaskTreeView } from './task-tree-view.tsx'
import { linesOf, treeOf, type TaskNode } from './task-tree.ts'
import { WORDS } from './task-words.ts'

const REFRESH_MS = 5000
const HISTORY = 'history'
/** A browser draws no more lines at once without being slow; others are found by a search. */
const MAX_LINES = 500

/** The tasks that run on the server, and those that have ended. */
export default function Tasks({ console, path }: PageProps<Paths>) {
  const words = console.words(WORDS)
  const { PageFrame } = console.components
  const { data } = console.useCall('GET /api/sysinfo')
  const hasHistory = data?.data.plugins.some(({ name }) => name === HISTORY) === true
  return (
    <PageFrame title={words.title} description={words.description}>
      <Tabs
        value={path === 'ended' && hasHistory ? 'ended' : 'tree'}
        onChange={(tab) => console.navigate(tab === 'ended' ? '/tasks/ended' : '/tasks')}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="tree">{words.tree}</Tabs.Tab>
          {hasHistory && <Tabs.Tab value="ended">{words.history}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="tree">
          <Tree console={console} words={words} />
        </Tabs.Panel>
        <Tabs.Panel value="ended">
          <EndedTasks console={console} words={words} />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  )
}

type Props = { readonly console: Console<Paths>; readonly words: (typeof WORDS)['en'] }

function Tree({ console, words }: Props) {
  const { Problem } = console.components
  const { data, error, refresh } = console.useCall('GET /api/task/tree', undefined, { refreshMs: REFRESH_MS })
  const [search, setSearch] = useState('')
  // The root is open at first, so that its branches are seen.
  const [isAllOpen, setAllOpen] = useState(false)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isOpen = (node: TaskNode) => (isAllOpen || node.level === 0) !== toggled.has(node.pointer)
  const toggle = ({ pointer }: TaskNode) => setToggled((before) => before.symmetricDifference(new Set([pointer])))
  const setAll = (isOpen: boolean) => {
    setAllOpen(isOpen)
    setToggled(new Set())
  }
  const lines = data && linesOf(treeOf(data.data), isOpen, search)
  return (
    <Stack gap="md">
      <Group gap="sm">
        <TextInput
          aria-label={words.search}
          placeholder={words.search}
          leftSection={<SearchIcon />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          w={{ base: '100%', sm: 320 }}
        />
        <Button size="xs" variant="default" onClick={() => setAll(true)}>
          {words.openAll}
        </Button>
        <Button size="xs" variant="default" onClick={() => setAll(false)}>
          {words.closeAll}
        </Button>
      </Group>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {lines === undefined && error === undefined && <Skeleton height={320} />}
      {lines?.length === 0 && <Text c="dimmed">{words.nothing}</Text>}
      {lines !== undefined && lines.length > 0 && (
        <Card withBorder padding={0}>
          <TaskTreeView
            console={console}
            lines={lines.slice(0, MAX_LINES)}
            words={words}
            onToggle={toggle}
            onChange={refresh}
          />
        </Card>
      )}
      {lines !== undefined && lines.length > MAX_LINES && (
        <Text size="sm" c="dimmed">
          {words.more(lines.length - MAX_LINES)}
        </Text>
      )}
    </Stack>
  )
}
