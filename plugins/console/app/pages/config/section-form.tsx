import { Card, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { SearchIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { CONFIG_WORDS } from './config-words.ts'
import { KeyGroup, type GroupProps } from './key-group.tsx'
import { filtered, isFound, type Leaf, type Section } from './section-model.ts'
import { SourceBadge } from './source-badge.tsx'

type Props = Pick<GroupProps, 'console' | 'edits' | 'problems' | 'onEdit'> & {
  readonly name: string
  readonly section: Section
  /** The key that runs the plugin; undefined for `global`. */
  readonly enableLeaf: Leaf | undefined
}

/** The form of a section: the switch of the plugin, a search, and the groups. */
export function SectionForm({ name, section, enableLeaf, ...rest }: Props) {
  const { console, edits, onEdit } = rest
  const words = console.words(CONFIG_WORDS)
  const [search, setSearch] = useState('')
  const wanted = search.trim()
  const groups =
    wanted === '' ? section.groups : filtered(section.groups, (leaf, group) => isFound(leaf, group, wanted))
  const isOpenAtFirst = (path: string, isInherited: boolean) =>
    wanted !== '' || path === '' || (!isInherited && name !== 'global')
  return (
    <Stack gap="sm">
      {enableLeaf !== undefined && (
        <Card withBorder padding="md">
          <Group gap="sm">
            <Switch
              label={words.run(name)}
              checked={(edits.get(enableLeaf.path) ?? enableLeaf.value) === true}
              disabled={!console.user.mayChange}
              onChange={({ currentTarget }) => onEdit(enableLeaf.path, currentTarget.checked)}
            />
            <SourceBadge console={console} leaf={enableLeaf} />
          </Group>
        </Card>
      )}
      <TextInput
        type="search"
        maw={360}
        leftSection={<SearchIcon />}
        aria-label={words.searchKeys}
        placeholder={words.searchKeys}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {groups.map((group) => (
        <KeyGroup
          key={`${group.path}${wanted === '' ? '' : ' found'}`}
          {...rest}
          group={group}
          isOpenAtFirst={isOpenAtFirst(group.path, group.isInherited)}
        />
      ))}
      {groups.length === 0 && <Text c="dimmed">{words.noKey}</Text>}
    </Stack>
  )
}
