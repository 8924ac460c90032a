import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { STREAMS_WORDS } from './streams-words.ts'

const REFRESH_MS = 5000
/** The most that are shown: a list of what is missing, not a page of its own. */
const MAX_SHOWN = 50

/** The streams that viewers wait for; nothing while there are none. */
export function WaitedFor({ console }: { readonly console: Console<Paths> }) {
  const words = console.words(STREAMS_WORDS)
  const { data } = console.useCall('GET /api/stream/waitlist', {}, { refreshMs: REFRESH_MS })
  const waited = Object.entries(data?.list ?? {}).filter(([, count]) => count > 0)
  if (waited.length === 0) return null
  return (
    <Card withBorder>
      <Stack gap="xs">
        <div>
          <Title order={2} size="h5">
            {words.waitedFor}
          </Title>
          <Text size="sm" c="dimmed">
            {words.waitedForText}
          </Text>
        </div>
        {waited.slice(0, MAX_SHOWN).map(([path, count]) => (
          <Group key={path} justify="space-between" wrap="nowrap">
            <Anchor {...console.link(console.streamPage(path))} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {path}
            </Anchor>
            <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
              {words.waiting(count)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  )
}
