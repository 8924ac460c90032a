import { Anchor, Badge, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { WORDS } from './overview-words.ts'

type Props = { readonly console: Console<Paths>; readonly words: (typeof WORDS)['en'] }

const REFRESH_MS = 10_000
const ALARMS_SHOWN = 6

/** The plugins that do not run. */
export function DisabledPlugins({ console, words }: Props) {
  const { data, error } = console.useCall('GET /api/plugins/disabled', undefined, { refreshMs: REFRESH_MS })
  const plugins = data?.data
  return (
    <ShortList console={console} title={words.disabled} error={error} isLoading={plugins === undefined}>
      {plugins?.length === 0 && <Nothing text={words.allRun} />}
      {plugins?.map(({ name, description }) => (
        <Stack key={name} gap={0}>
          <Group gap="xs">
            <Badge color="orange" variant="light" tt="none">
              {name}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            {description['disableReason']}
          </Text>
        </Stack>
      ))}
      <Anchor size="sm" {...console.link('/plugins')} underline="always">
        {words.allPlugins}
      </Anchor>
    </ShortList>
  )
}

/** The newest alarms that are stored. */
export function RecentAlarms({ console, words }: Props) {
  const query = { pageNum: 1, pageSize: ALARMS_SHOWN }
  const { data, error } = console.useCall('GET /api/alarm/list', { query }, { refreshMs: REFRESH_MS })
  const alarms = data?.data
  return (
    <ShortList console={console} title={words.alarms} error={error} isLoading={alarms === undefined}>
      {alarms?.length === 0 && <Nothing text={words.noAlarms} />}
      {alarms?.map(({ id, alarmName, alarmDesc, streamPath, createdAt }) => (
        <Stack key={id} gap={0}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" fw={500} truncate>
              {alarmName}
            </Text>
            <Text size="xs" c="dimmed" className="figures" style={{ whiteSpace: 'nowrap' }}>
              {console.format.time(createdAt)}
            </Text>
          </Group>
          <Text size="sm" c="dimmed" lineClamp={1}>
            {[streamPath, alarmDesc].filter((text) => text !== '').join(' – ')}
          </Text>
        </Stack>
      ))}
    </ShortList>
  )
}

type ListProps = {
  readonly console: Console<Paths>
  readonly title: string
  readonly error: Error | undefined
  readonly isLoading: boolean
  readonly children: ReactNode
}

function ShortList({ console, title, error, isLoading, children }: ListProps) {
  const { Problem } = console.components
  return (
    <Card withBorder padding="md" mih={160}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {error !== undefined && <Problem error={error} />}
      <Stack gap="sm">{isLoading && error === undefined ? <Skeleton height={60} /> : children}</Stack>
    </Card>
  )
}

function Nothing({ text }: { readonly text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  )
}
