import { Badge, Button, Card, Group, Text } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { Change } from './changes.ts'
import { CONFIG_WORDS } from './config-words.ts'
import styles from './config.module.css'
import type { Problems } from './use-problems.ts'

type Props = {
  readonly console: Console<Paths>
  readonly changes: readonly Change[]
  readonly problems: Problems
  readonly onDiscard: () => void
  readonly onReview: () => void
}

/** The changes that are not saved yet, at the lower edge while the keys are scrolled. */
export function ChangeBar({ console, changes, problems, onDiscard, onReview }: Props) {
  const words = console.words(CONFIG_WORDS)
  return (
    <Card withBorder shadow="md" padding="sm" className={styles.bar ?? ''} role="status">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {words.changes(changes.length)}
          </Text>
          {problems.size > 0 && (
            <Badge color="red" variant="light" tt="none" fw={500}>
              {words.faultCount(problems.size)}
            </Badge>
          )}
        </Group>
        <Group gap="xs">
          <Button variant="default" size="sm" onClick={onDiscard}>
            {words.discard}
          </Button>
          <Button size="sm" onClick={onReview}>
            {words.review}
          </Button>
        </Group>
      </Group>
    </Card>
  )
}
