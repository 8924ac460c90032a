import { Anchor, Stack, Text } from '@mantine/core'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './alarms-words.ts'

export type Webhook = Paths['GET /api/alarm/webhooks']['answer']['data']['webhooks'][number]

type Props = { readonly console: Console<Paths>; readonly webhooks: readonly Webhook[] | undefined }

/** The webhooks of the config. */
export function WebhookList({ console, webhooks }: Props) {
  const words = console.words(WORDS)
  const { DataTable } = console.components
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {words.webhooksText}
      </Text>
      <DataTable<Webhook>
        label={words.parts.webhooks}
        rows={webhooks}
        rowKey={({ section, event }) => `${section} ${event}`}
        empty={words.noWebhooks}
        columns={[
          {
            key: 'event',
            title: words.event,
            render: ({ event }) => (
              <Stack gap={2}>
                <Text size="sm">{words.events[event] ?? event}</Text>
                <Text size="xs" c="dimmed" ff="monospace">
                  {event}
                </Text>
              </Stack>
            ),
          },
          {
            key: 'service',
            title: words.service,
            render: ({ url, method }) => (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {url === '' ? words.nobody : `${method} ${url}`}
              </Text>
            ),
          },
          { key: 'stored', title: words.stored, render: ({ savealarm }) => (savealarm ? words.yes : words.no) },
          {
            key: 'section',
            title: words.section,
            render: ({ section }) => (
              <Anchor
                size="sm"
                {...console.link(`/config/${encodeURIComponent(section)}`)}
                style={{ overflowWrap: 'anywhere' }}
              >
                {section}
              </Anchor>
            ),
          },
        ]}
      />
    </Stack>
  )
}
