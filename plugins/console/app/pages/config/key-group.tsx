import { Badge, Card, Text, Title, UnstyledButton } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { Edits } from './changes.ts'
import { CONFIG_WORDS } from './config-words.ts'
import styles from './config.module.css'
import { KeyRow } from './key-row.tsx'
import { isSetHere, leavesOf, type Group } from './section-model.ts'
import type { Problems } from './use-problems.ts'

/** The state of a section that its groups show. */
export type GroupProps = {
  readonly console: Console<Paths>
  readonly group: Group
  readonly edits: Edits
  readonly problems: Problems
  readonly onEdit: (path: string, value: unknown) => void
  readonly isOpenAtFirst: boolean
}

/** Keys that are shown together. Their inputs are made when the group is opened. */
export function KeyGroup(props: GroupProps) {
  const { console, group, edits, problems, isOpenAtFirst } = props
  const words = console.words(CONFIG_WORDS)
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const leaves = leavesOf([group])
  const setCount = leaves.filter(({ source }) => isSetHere(source)).length
  const changedCount = leaves.filter(({ path }) => edits.has(path)).length
  const faultCount = leaves.filter(({ path }) => problems.has(path)).length
  const title = group.title ?? (group.isInherited ? words.commonKeys : words.ownKeys)
  const contentId = `group-${group.path}`
  const badge = (text: string, color: string) => (
    <Badge size="sm" variant="light" color={color} tt="none" fw={500}>
      {text}
    </Badge>
  )
  return (
    <Card withBorder padding="md" py={4}>
      <Title order={2} size="h5" fw={500}>
        <UnstyledButton
          className={styles.head ?? ''}
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
          <Text span fw={600}>
            {title}
          </Text>
          {group.isInherited && badge(words.inherited, 'gray')}
          {setCount > 0 && badge(words.setCount(setCount), 'teal')}
          {changedCount > 0 && badge(words.changedCount(changedCount), 'orange')}
          {faultCount > 0 && badge(words.faultCount(faultCount), 'red')}
        </UnstyledButton>
      </Title>
      <div id={contentId} role="group" aria-label={title} hidden={!isOpen}>
        {isOpen && (
          <>
            {group.path !== '' && group.description !== undefined && (
              <Text size="sm" c="dimmed" pb="sm">
                {group.description}
              </Text>
            )}
            <KeyRows {...props} />
          </>
        )}
      </div>
    </Card>
  )
}

function KeyRows(props: GroupProps) {
  const { console, group, edits, problems, onEdit } = props
  return (
    <>
      {group.leaves.map((leaf) => (
        <KeyRow
          key={leaf.path}
          console={console}
          leaf={leaf}
          edit={edits.get(leaf.path)}
          problem={problems.get(leaf.path)}
          onEdit={onEdit}
        />
      ))}
      {group.groups.map((inner) => (
        <section key={inner.path} aria-label={inner.title}>
          <Title order={3} size="h6" pt="md" pb="xs">
            {inner.title}
          </Title>
          <KeyRows {...props} group={inner} />
        </section>
      ))}
    </>
  )
}
